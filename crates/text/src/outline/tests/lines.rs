//! Languages that are read line by line.

use super::{FileKind, check};

/// A text of a language, and what is told of it.
const SAMPLES: [(FileKind, &str, &str); 20] = [
    (
        FileKind::Cpp,
        r##"// Boots containers on all hosts.
#include "host.h"
#include <vector>
using namespace std;

namespace kamal {

class Host;

/// Waits between two tries.
class Retry : public Policy {
 public:
  explicit Retry(int most) : most_(most) {}
  // Seconds before a try.
  double wait(int attempt) const override;
 private:
  int most_ = 5;
};

template <typename T>
T first(const std::vector<T>& all) {
  if (all.empty()) {
    throw std::runtime_error("nothing there");
  }
  return all[0];
}

void Retry::reset() {
  most_ = 0;
}

}  // namespace kamal
"##,
        r##"purpose: "Boots containers on all hosts."
imports: ["host.h", "vector", "std"]
module kamal 6-6 `namespace kamal` 
class Retry 11-18 `class Retry : public Policy` Waits between two tries.
method Retry in Retry 13-13 `explicit Retry(int most) : most_(most)` 
method wait in Retry 15-15 `double wait(int attempt) const override` Seconds before a try.
function first 21-26 `T first(const std::vector<T>& all)` 
function Retry::reset 28-30 `void Retry::reset()` 
"##,
    ),
    (
        FileKind::CSharp,
        r##"using System.Net;
namespace Kamal.Boot;

/// <summary>
/// Boots containers on <see cref="Host"/> after host.
/// </summary>
/// <param name="most">How many at once.</param>
[Serializable]
public sealed class Booter : IBooter
{
    private readonly int _most = Count(5);

    /// <summary>Waits for all.</summary>
    public async Task<int> WaitAsync(int seconds)
    {
        if (seconds > 0) { await Task.Delay(seconds); }
        return Count(seconds);
    }

    private static int Count(int most) => most + 1;
}
"##,
        r##"purpose: ""
imports: ["System.Net"]
module Kamal.Boot 2-2 `namespace Kamal.Boot` 
class Booter 9-21 `public sealed class Booter : IBooter` Boots containers on Host after host.
method WaitAsync in Booter 14-18 `public async Task<int> WaitAsync(int seconds)` Waits for all.
method Count in Booter private 20-20 `private static int Count(int most) => most + 1` 
"##,
    ),
    (
        FileKind::Kotlin,
        r##"package kamal.boot

import java.net.URI

/** Boots containers. */
@Serializable
data class Booter(
    val hosts: List<String>,
) : Job {
    /** Waits for all hosts. */
    override suspend fun wait(seconds: Int): Boolean {
        fun inner() = 1
        return true
    }

    companion object {
        private fun <T> List<T>.second(): T = this[1]
    }
}

interface Job
"##,
        r##"purpose: ""
imports: ["java.net.URI"]
class Booter 7-19 `data class Booter(` Boots containers.
method wait in Booter 11-14 `override suspend fun wait(seconds: Int): Boolean` Waits for all hosts.
method second in Booter private 17-17 `private fun <T> List<T>.second(): T = this[1]` 
interface Job 21-21 `interface Job` 
"##,
    ),
    (
        FileKind::Swift,
        r##"//
//  Boot.swift
//
import Foundation

/// Boots containers.
public final class Booter: Job {
    /// Waits for all hosts.
    func wait(seconds: Int) -> Bool {
        return true
    }
    class func shared() -> Booter { Booter() }
    fileprivate func hidden() {}
}

extension Booter {
    @discardableResult func stop() -> Int { 1 }
}

protocol Job {}
"##,
        r##"purpose: ""
imports: ["Foundation"]
class Booter 7-14 `public final class Booter: Job` Boots containers.
method wait in Booter 9-11 `func wait(seconds: Int) -> Bool` Waits for all hosts.
method shared in Booter 12-12 `class func shared() -> Booter` 
method hidden in Booter private 13-13 `fileprivate func hidden()` 
impl Booter 16-18 `extension Booter` 
method stop in Booter 17-17 `@discardableResult func stop() -> Int` 
interface Job 20-20 `protocol Job` 
"##,
    ),
    (
        FileKind::Scala,
        r##"package kamal

import java.net.URI

/** Boots containers. */
sealed trait Booter[A] {
  /** Waits for all hosts. */
  def waitFor(seconds: Int): Boolean
  private[kamal] def hidden = 1
}

case class Host(name: String)
object Host {
  def apply(name: String): Host = new Host(name)
}
"##,
        r##"purpose: ""
imports: ["java.net.URI"]
trait Booter 6-10 `sealed trait Booter[A]` Boots containers.
method waitFor in Booter 8-8 `def waitFor(seconds: Int): Boolean` Waits for all hosts.
method hidden in Booter private 9-9 `private[kamal] def hidden = 1` 
class Host 12-12 `case class Host(name: String)` 
class Host 13-15 `object Host` 
method apply in Host 14-14 `def apply(name: String): Host = new Host(name)` 
"##,
    ),
    (
        FileKind::Groovy,
        r##"import groovy.json.JsonSlurper

/** Boots containers. */
class Booter implements Job {
    /** Waits for all hosts. */
    boolean waitFor(int seconds) {
        println("waits")
    }
    static def stop(host) {
        return host
    }
}
"##,
        r##"purpose: ""
imports: ["groovy.json.JsonSlurper"]
class Booter 4-12 `class Booter implements Job` Boots containers.
method waitFor in Booter 6-8 `boolean waitFor(int seconds)` Waits for all hosts.
method stop in Booter 9-11 `static def stop(host)` 
"##,
    ),
    (
        FileKind::Dart,
        r##"import 'dart:io';

/// Boots containers.
class Booter extends Job {
  Booter(this.hosts);

  /// Waits for all hosts.
  Future<bool> wait(int seconds) async {
    return true;
  }

  void _hidden() {}
}

void main() {
  runApp(Booter());
}
"##,
        r##"purpose: ""
imports: ["dart:io"]
class Booter 4-13 `class Booter extends Job` Boots containers.
method Booter in Booter 5-5 `Booter(this.hosts)` 
method wait in Booter 8-10 `Future<bool> wait(int seconds) async` Waits for all hosts.
method _hidden in Booter private 12-12 `void _hidden()` 
function main 15-17 `void main()` 
"##,
    ),
    (
        FileKind::Php,
        r##"<?php

declare(strict_types=1);

/*
 * Boots containers on hosts.
 */

namespace Kamal\Boot;

use Kamal\Host;

/**
 * Boots containers.
 *
 * @author Somebody
 */
#[Attribute]
final class Booter extends Job implements Runs
{
    use Logs;

    /**
     * Waits for all hosts.
     * @param int $seconds
     */
    public function wait(int $seconds): bool
    {
        return array_map(function ($host) { return 1; }, $this->hosts);
    }

    private function hidden() {}
}

function helper() {
}
"##,
        r##"purpose: "Boots containers on hosts."
imports: ["Kamal\\Host", "Logs"]
module Kamal\Boot 9-9 `namespace Kamal\Boot` 
class Booter 19-33 `final class Booter extends Job implements Runs` Boots containers.
method wait in Booter 27-30 `public function wait(int $seconds): bool` Waits for all hosts.
method hidden in Booter private 32-32 `private function hidden()` 
function helper 35-36 `function helper()` 
"##,
    ),
    (
        FileKind::Zig,
        r##"//! Boots containers.
const std = @import("std");

/// Waits for all hosts.
pub fn wait(seconds: u32) bool {
    return true;
}
"##,
        r##"purpose: "Boots containers."
imports: []
function wait 5-7 `pub fn wait(seconds: u32) bool` Waits for all hosts.
"##,
    ),
    (
        FileKind::Ruby,
        r##"# frozen_string_literal: true

# Boots containers on all hosts in parallel.
module Kamal::Commands
  # Waits between two tries.
  class Booter < Base
    include Logging
    delegate :config, to: :kamal

    # Boots on one host.
    def self.boot(host)
      hosts.each do |it|
        puts "boots #{it}"
      end
    end

    def healthy?
      true
    end

    class << self
      def config=(value)
      end
    end
  end

  class Error < StandardError; end
end
"##,
        r##"purpose: "Boots containers on all hosts in parallel."
imports: []
module Kamal::Commands 4-28 `module Kamal::Commands` 
class Booter in Kamal::Commands 6-25 `class Booter < Base` Waits between two tries.
method boot in Booter 11-15 `def self.boot(host)` Boots on one host.
method healthy? in Booter 17-19 `def healthy?` 
method config in Booter 22-23 `def config=(value)` 
class Error in Kamal::Commands 27-27 `class Error < StandardError; end` 
"##,
    ),
    (
        FileKind::Perl,
        r##"package Kamal::Booter;
use strict;
use Kamal::Host;

=head1 NAME

Kamal::Booter - boots containers on all hosts

=head1 SYNOPSIS

  use Kamal::Booter;

=cut

# Waits for all hosts.
sub wait_for {
    my ($self, $seconds) = @_;
    return 1;
}

sub _hidden { 1 }

1;
"##,
        r##"purpose: "Kamal::Booter - boots containers on all hosts"
imports: ["strict", "Kamal::Host"]
module Kamal::Booter 1-1 `package Kamal::Booter` 
function wait_for 16-19 `sub wait_for` Waits for all hosts.
function _hidden private 21-21 `sub _hidden` 
"##,
    ),
    (
        FileKind::Elixir,
        r##"defmodule Kamal.Booter do
  @moduledoc """
  Boots containers on all hosts.
  """
  use GenServer
  alias Kamal.Host

  @doc """
  Waits for all hosts.
  """
  @spec wait(integer) :: boolean
  def wait(seconds) when seconds > 0 do
    true
  end

  defp hidden?(host), do: host
end
"##,
        r##"purpose: "Boots containers on all hosts."
imports: ["GenServer", "Kamal.Host"]
module Kamal.Booter 1-17 `defmodule Kamal.Booter` 
function wait in Kamal.Booter 12-14 `def wait(seconds) when seconds > 0` Waits for all hosts.
function hidden? in Kamal.Booter private 16-16 `defp hidden?(host), do: host` 
"##,
    ),
    (
        FileKind::Julia,
        r##"# Boots containers.
module Kamal

using Sockets

"""
    wait(seconds)

Waits for all hosts.
"""
function wait(seconds)
    return true
end

mutable struct Host
    name::String
end

end
"##,
        r##"purpose: "Boots containers."
imports: ["Sockets"]
module Kamal 2-2 `module Kamal` 
function wait 11-13 `function wait(seconds)` Waits for all hosts.
struct Host 15-17 `mutable struct Host` 
"##,
    ),
    (
        FileKind::R,
        r##"library(httr)

#' Boots containers
#'
#' @param host A host.
#' @export
boot_all <- function(host, n = 5) {
  inner <- function(x) x
  n
}

count.hosts = function(x) {
  length(x)
}
"##,
        r##"purpose: ""
imports: ["httr"]
function boot_all 7-10 `boot_all <- function(host, n = 5)` Boots containers
function count.hosts 12-14 `count.hosts = function(x)` 
"##,
    ),
    (
        FileKind::PowerShell,
        r##"<#
.SYNOPSIS
Boots containers.
#>

# Waits for all hosts.
function Wait-Host {
    param([int]$Seconds)
    Write-Host "waits"
}

class Booter {
}
"##,
        r##"purpose: "Boots containers."
imports: []
function Wait-Host 7-10 `function Wait-Host` Waits for all hosts.
class Booter 12-13 `class Booter` 
"##,
    ),
    (
        FileKind::Lua,
        r##"-- Boots containers.

local host = require("kamal.host")
local M = {}

--- Waits for all hosts.
-- @param seconds how long
function M.wait(seconds)
  return true
end

local function hidden()
end

return M
"##,
        r##"purpose: "Boots containers."
imports: []
function M.wait 8-10 `function M.wait(seconds)` Waits for all hosts.
function hidden private 12-13 `local function hidden()` 
"##,
    ),
    (
        FileKind::Haskell,
        r##"{-# LANGUAGE OverloadedStrings #-}
-- | Boots containers.
module Kamal.Booter
  ( wait
  ) where

import qualified Data.Map as Map

-- | A host.
data Host = Host
  { name :: String
  }

-- | Waits for all hosts.
wait :: Int -> IO Bool
wait seconds = pure True
"##,
        r##"purpose: "Boots containers."
imports: ["Data.Map"]
module Kamal.Booter 3-5 `module Kamal.Booter` 
struct Host 10-12 `data Host = Host` A host.
function wait 15-15 `wait :: Int -> IO Bool` Waits for all hosts.
"##,
    ),
    (
        FileKind::OCaml,
        r##"(* Boots containers. *)

open Unix

(** A host. *)
type host = {
  name : string;
}

(** Waits for all hosts. *)
let rec wait seconds =
  let inner = 1 in
  inner
"##,
        r##"purpose: "Boots containers."
imports: ["Unix"]
type alias host 6-8 `type host` A host.
function wait 11-13 `let rec wait seconds` Waits for all hosts.
"##,
    ),
    (
        FileKind::Erlang,
        r##"%% @doc Boots containers.
-module(booter).
-export([wait/1]).

%% Waits for all hosts.
wait(0) ->
    ok;
wait(Seconds) ->
    wait(Seconds - 1).

hidden(X) -> X.
"##,
        r##"purpose: "Boots containers."
imports: []
function wait 6-7 `wait(0) ->` Waits for all hosts.
function hidden 11-11 `hidden(X) -> X.` 
"##,
    ),
    (
        FileKind::Clojure,
        r##";; Boots containers.
(ns kamal.booter
  (:require [kamal.host :as host]))

;; Waits for all hosts.
(defn wait-for
  "Waits."
  [seconds]
  true)

(defn- hidden [x] x)
"##,
        r##"purpose: "Boots containers."
imports: ["kamal.host"]
function wait-for 6-9 `(defn wait-for` Waits for all hosts.
function hidden private 11-11 `(defn- hidden [x] x)` 
"##,
    ),
];

pub(super) fn sample(kind: FileKind) -> &'static str {
    let of_kind = |(known, ..): &&(FileKind, &str, &str)| *known == kind;
    SAMPLES.iter().find(of_kind).map_or("", |(_, text, _)| text)
}

#[test]
fn lines_tell_what_a_program_defines() {
    for (kind, text, expected) in SAMPLES {
        check(kind, text, expected);
    }
}
