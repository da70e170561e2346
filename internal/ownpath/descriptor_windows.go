package ownpath

import "golang.org/x/sys/windows"

// Descriptor is a security descriptor that lets this user alone in, and more whom its access list names in SDDL.
// Nothing is inherited from above, and what is made below inherits it.
func Descriptor(more string) (*windows.SECURITY_DESCRIPTOR, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + user.User.Sid.String() + ")" + more)
}
