//! Summaries of whole files, as they are read.

use super::*;

fn check(path: &str, text: &str, expected: &str) {
    let said = summary(path, text);
    assert_eq!(said.text, expected, "\n{}", said.text);
    check_limits(&said);
}

#[test]
fn rust_with_documentation() {
    check(
        "src/http/retry.rs",
        "//! What the longest wait is before a request is sent again, and when to give up.
//!
//! Waits double from one attempt to the next, with jitter so that clients that failed together do
//! not come back together. Idempotent requests only.

use std::time::Duration;

/// How often and how long to wait.
#[derive(Debug, Clone)]
pub struct RetryPolicy {
    /// Attempts before giving up.
    pub attempts: u32,
    pub base: Duration,
}

impl RetryPolicy {
    /// The wait before the given attempt, with jitter.
    ///
    /// # Examples
    /// let wait = policy.delay(3);
    pub fn delay(&self, attempt: u32) -> Duration {
        // Doubling overflows at 32, long after everybody has lost patience.
        self.base * 2_u32.pow(attempt.min(16))
    }
}

/// Whether a status code is worth another attempt.
pub fn is_transient(status: u16) -> bool {
    matches!(status, 429 | 502..=504)
}

#[cfg(test)]
mod tests {
    /// Walruses are not retried.
    #[test]
    fn walrus() {}
}
",
        "Rust source file `src/http/retry.rs`: what the longest wait is before a request is sent again, and when to give up. Waits double from one attempt to the next, with jitter so that clients that failed together do not come back together. Idempotent requests only. `RetryPolicy` (retry policy): how often and how long to wait. `RetryPolicy.delay`: the wait before the given attempt, with jitter. `is_transient`: whether a status code is worth another attempt.
Types: RetryPolicy (retry policy).
Functions: is_transient.
Methods: delay.
Also: In `RetryPolicy.delay`: Doubling overflows at 32, long after everybody has lost patience; `RetryPolicy`: attempts before giving up.
Words: duration, base, time, pow, min.",
    );
}

#[test]
fn python_without_documentation() {
    check(
        "shop/backoff.py",
        r#"#!/usr/bin/env python3
# Copyright 2024 Example. All rights reserved.
import random
import time
from .errors import TransientError, GiveUp


class BackoffPolicy:
    def __init__(self, base=0.5, cap=30.0):
        self.base = base
        self.cap = cap

    def delay(self, attempt):
        # full jitter, so that clients which failed together do not come back together
        return random.uniform(0, min(self.cap, self.base * 2 ** attempt))

    def run(self, action, attempts=5):
        for attempt in range(attempts):
            try:
                return action()
            except TransientError as error:
                if attempt + 1 == attempts:
                    raise GiveUp("no attempts left after repeated failures") from error
                time.sleep(self.delay(attempt))


def test_delay_grows():
    # the third attempt waits longest
    assert BackoffPolicy().delay(3) <= 4
"#,
        r#"Python source file `shop/backoff.py` defines the class `BackoffPolicy` (backoff policy). In `BackoffPolicy.delay`: full jitter, so that clients which failed together do not come back together. It uses `random`, `time` and `.errors`.
Types: BackoffPolicy (backoff policy).
Methods: delay, run.
Says: "no attempts left after repeated failures".
Words: base, cap, transient, give, action, uniform, min, range, sleep."#,
    );
}

#[test]
fn typescript() {
    check(
        "web/cart.ts",
        r#"/**
 * Keeps the shopping cart of a visitor who is not signed in.
 * The cart lives in local storage and is merged into the account at sign-in.
 */
import { Product } from './product';
import { http } from '../lib/http';

export interface CartLine { product: Product; quantity: number }

/** Adds a product, or raises its quantity when it is already there. */
export function addToCart(lines: CartLine[], product: Product): CartLine[] {
  const found = lines.find(l => l.product.id === product.id);
  return found ? lines.map(l => l === found ? { ...l, quantity: l.quantity + 1 } : l) : [...lines, { product, quantity: 1 }];
}

export class CartSync {
  /** Sends what was collected offline and empties local storage. */
  async mergeAfterSignIn(userId: string): Promise<void> {
    const response = await http.post(`/users/${userId}/cart`, this.lines());
    if (!response.ok) throw new Error("the cart could not be merged into the account");
    localStorage.removeItem('cart');
  }
  private lines(): CartLine[] { return JSON.parse(localStorage.getItem('cart') ?? '[]'); }
}
"#,
        r#"TypeScript source file `web/cart.ts`: keeps the shopping cart of a visitor who is not signed in. The cart lives in local storage and is merged into the account at sign-in. `addToCart` (add to cart): adds a product, or raises its quantity when it is already there. `CartSync.mergeAfterSignIn`: sends what was collected offline and empties local storage.
Types: CartLine (cart line), CartSync (cart sync).
Functions: addToCart.
Methods: mergeAfterSignIn, lines.
Says: "the cart could not be merged into the account".
Words: found, user, response, find, promise, post, throw, remove, json, parse."#,
    );
}

#[test]
fn sql() {
    check(
        "db/schema.sql",
        "-- Orders and what was ordered.
CREATE TABLE customers (
  id BIGINT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE, -- lower case, checked by the application
  created_at TIMESTAMPTZ DEFAULT now()
);
-- One row per order; cancelled ones stay.
CREATE TABLE orders (
  id BIGINT PRIMARY KEY,
  customer_id BIGINT REFERENCES customers(id),
  total_cents INTEGER NOT NULL
);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE VIEW open_orders AS SELECT * FROM orders;
",
        "SQL schema `db/schema.sql`: orders and what was ordered. `customers.email`: lower case, checked by the application. `orders`: one row per order; cancelled ones stay.
Tables: customers(id, email, created_at), orders(id, customer_id, total_cents), open_orders.
Indexes: orders_by_customer.
Words: bigint, primary, key, text, unique, timestamptz, now, references, integer, view.",
    );
}

#[test]
fn markdown() {
    check(
        "docs/queue.md",
        "# Why we left the queue

We replaced the message queue with a table in Postgres. Jobs are claimed with `SKIP LOCKED`, e.g. by one worker at a time.

## Measurements

- 4,000 jobs a second on one node
- no lost job in a week of killing workers

## What got worse

Delayed jobs need an index on the due time, and vacuum has to run more often than before. We watch bloat with an alert.
",
        "Markdown document `docs/queue.md`: Why we left the queue. We replaced the message queue with a table in Postgres. Jobs are claimed with `SKIP LOCKED`, e.g. by one worker at a time. 4,000 jobs a second on one node. no lost job in a week of killing workers. Delayed jobs need an index on the due time, and vacuum has to run more often than before.
Sections: Why we left the queue, Measurements, What got worse.
Also: We watch bloat with an alert.",
    );
}

#[test]
fn systemd_service() {
    check(
        "units/backup.service",
        "[Unit]
Description=Nightly dump of the orders database
After=network-online.target postgresql.service

[Service]
Type=oneshot
User=backup
EnvironmentFile=/etc/backup.env
ExecStart=/usr/local/bin/dump-orders --compress --to /var/backups
Restart=on-failure
",
        "systemd service `units/backup.service`: Nightly dump of the orders database. It runs `ExecStart=/usr/local/bin/dump-orders --compress --to /var/backups`. Its start depends on `After=network-online.target postgresql.service`. Its restarts are set by `Restart=on-failure`. It uses `/etc/backup.env` and `/usr/local/bin/dump-orders`.
Commands: ExecStart=/usr/local/bin/dump-orders --compress --to /var/backups.
Settings: Description, After, Type, User, EnvironmentFile, Restart.
Words: oneshot.",
    );
}

#[test]
fn yaml() {
    check(
        "deploy/shop.yaml",
        r#"# How the shop is rolled out to production.
replicas: 3
image:
  name: shop
  tag: "1.4"
# Take a node out of rotation after three failed probes.
health:
  path: /healthz
  failures: 3
env:
  LOG_LEVEL: info
"#,
        "YAML configuration `deploy/shop.yaml`: how the shop is rolled out to production. `health`: take a node out of rotation after three failed probes.
Top-level keys: replicas, image(name, tag), health(path, failures), env(LOG_LEVEL).
Words: healthz, info.",
    );
}

#[test]
fn rust_without_a_single_comment() {
    check(
        "src/interest.rs",
        r#"use crate::ledger::Account;
use std::collections::BTreeMap;

pub struct InterestCalculator { rates: BTreeMap<u32, f64> }

impl InterestCalculator {
    pub fn accrue(&self, account: &Account, days: u32) -> Result<f64, String> {
        let rate = self.rates.range(..=days).next_back().ok_or("no interest rate for this period")?;
        Ok(account.balance() * rate.1 * f64::from(days) / 365.0)
    }
    pub fn compound_monthly(&self, principal: f64, months: u32) -> f64 {
        (0..months).fold(principal, |sum, _| sum * 1.01)
    }
}
"#,
        r#"Rust source file `src/interest.rs` defines the struct `InterestCalculator` (interest calculator). It uses `crate::ledger::Account` and `std::collections::BTreeMap`. Its messages say "no interest rate for this period".
Types: InterestCalculator (interest calculator).
Methods: accrue, compound_monthly.
Words: days, principal, months, sum, range, back, balance, fold."#,
    );
}

#[test]
fn go() {
    check(
        "limiter/limiter.go",
        r#"// Package limiter holds back clients that ask too often.
package limiter

import (
	"errors"
	"sync"
	"time"
)

// ErrTooMany says that the client has to wait.
var ErrTooMany = errors.New("too many requests, try again later")

// Bucket is a token bucket that fills at a steady rate.
type Bucket struct {
	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// Allow takes one token if there is one.
func (b *Bucket) Allow(now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	// Refill for the time that has passed since the last call.
	b.tokens += now.Sub(b.last).Seconds()
	if b.tokens < 1 {
		return ErrTooMany
	}
	b.tokens--
	return nil
}

func sweep(buckets map[string]*Bucket) {
	for key, bucket := range buckets {
		if time.Since(bucket.last) > time.Hour {
			delete(buckets, key)
		}
	}
}
"#,
        r#"Go source file `limiter/limiter.go`: Package limiter holds back clients that ask too often. `ErrTooMany` (err too many) says that the client has to wait. `Bucket` is a token bucket that fills at a steady rate. `Bucket.Allow` takes one token if there is one. In `Bucket.Allow`: Refill for the time that has passed since the last call.
Types: Bucket.
Functions: sweep.
Methods: Allow.
Constants: ErrTooMany.
Says: "too many requests, try again later".
Words: sync, now, key, mutex, float64, lock, defer, unlock, sub, seconds."#,
    );
}
