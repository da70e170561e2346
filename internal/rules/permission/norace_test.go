//go:build !race

package permission

const slowdown = 1
