//go:build !unix

package ownpath

import "os"

func Owned(os.FileInfo) bool { return true }

func writableByAll(os.FileInfo) bool { return false }
