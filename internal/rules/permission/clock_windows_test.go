package permission

import "time"

var started = time.Now()

func worked() time.Duration { return time.Since(started) }
