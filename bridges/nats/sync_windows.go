package main

// syncFolder does nothing: the system's journal keeps names.
func syncFolder(string) error { return nil }
