package cli

import "syscall"

type descriptor uintptr

func (d descriptor) write(b []byte) (int, error) { return syscall.Write(syscall.Handle(d), b) }
