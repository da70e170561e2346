package hookfile

// Held is a Config behind a public type that embeds a Held: package projecthooks shows a few facts of the Config, and
// hookrun's own packages take the Config itself. Its methods are for those packages alone, because no other module can
// name what they take and return.
type Held struct{ config *Config }

// Held returns the Config, nil if there is none.
func (h *Held) Held() *Config { return h.config }

// Hold puts a Config behind the public type.
func (h *Held) Hold(c *Config) { h.config = c }

// Behind puts a Config behind a fresh value of the public type, as projecthooks.Empty() is one, and returns the value.
func Behind[T interface{ Hold(*Config) }](public T, c *Config) T {
	public.Hold(c)
	return public
}
