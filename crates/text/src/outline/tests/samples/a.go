// Copyright 2020 The Authors. All rights reserved.
// Use of this source code is governed by a BSD-style license.

//go:build linux

// Package retry retries requests.
package retry

import (
	"fmt"
	m "net/http"
)
import "os"

// Do does it early.
func (c *Client[T]) Do(req *Request) (int, error) { return 0, nil }

// Client is a client.
type Client[T any] struct {
	a int
}
type (
	// Doer does.
	Doer interface {
		// Do it.
		Do(a int) error
		io.Reader
	}
	id = string
)
type Handler func(a int) error
const Max = 3
const (
	// A is a.
	A, b = iota, 2
	c
)
var ErrX = errors.New("x")
var _ Doer = (*Client)(nil)
func hidden[T any](a T) T { return a }
func TestX(t *testing.T) {}
