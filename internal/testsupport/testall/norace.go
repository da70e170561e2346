//go:build !race

package testall

const raced = false
