// Command empty is what a Go program costs that does nothing: the floor of a one-shot call.
package main

func main() {}
