package hook

// Level says who owns a hooks file. Hooks run in the order of the levels. The zero Level is ProjectLevel.
type Level int

const (
	ManagedLevel Level = iota - 2 // root's, for all users of the machine
	UserLevel                     // the user's own, for all projects
	ProjectLevel                  // the project's, for everyone working on it
	LocalLevel                    // the user's own, for this project
)

func (l Level) String() string {
	switch l {
	case ManagedLevel:
		return "managed"
	case UserLevel:
		return "user"
	case LocalLevel:
		return "local"
	}
	return "project"
}

// MarshalText returns the name, for JSON.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }
