//go:build !linux && !windows

package kit

// Unsupported says why cases cannot run on this system; "": they can.
const Unsupported = "the hooks of the recorded cases look at /proc and need GNU date: run them on Linux"

// hasProc and exactTimes are those of Linux: no case runs here.
const hasProc, exactTimes = false, false

// survivors are none: no case runs here.
func (r *Trial) survivors() []process { return nil }

func (r *Trial) killSurvivors() int { return 0 }
