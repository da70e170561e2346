package cli

import "golang.org/x/sys/windows"

type descriptor uintptr

func (d descriptor) write(b []byte) (int, error) { return windows.Write(windows.Handle(d), b) }
