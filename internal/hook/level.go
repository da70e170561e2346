package hook

// Level is whose a hooks file is. Hooks run in the order of the levels. The zero Level is ProjectLevel.
type Level int

const (
	ManagedLevel Level = iota - 2 // root's, for all users of the machine
	UserLevel                     // the user's own, for all projects
	ProjectLevel                  // the project's, for all who work on it
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

// MarshalText is for JSON.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }
