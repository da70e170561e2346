package owner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/hookrun/hookrun/internal/shellline/shellword"
)

// me is the user of this process.
var me = sync.OnceValues(func() (*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return user.User.Sid, nil
})

// Descriptor is a security descriptor that lets this user alone in, and more whom its access list names in SDDL.
// Nothing is inherited from above, and what is made below inherits it.
func Descriptor(more string) (*windows.SECURITY_DESCRIPTOR, error) {
	user, err := me()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + user.String() + ")" + more)
}

// Admins lets the system and administrators in, in SDDL.
const Admins = "(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"

// Attributes has the Descriptor for what is about to be made.
func Attributes(more string) (*windows.SecurityAttributes, error) {
	descriptor, err := Descriptor(more)
	attributes := windows.SecurityAttributes{SecurityDescriptor: descriptor}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	return &attributes, err
}

// Mkdir makes a folder for this user, the system and administrators, as the system does it for the folder of a user.
func Mkdir(path string) error {
	security, err := Attributes(Admins)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	if err := windows.CreateDirectory(name, security); err != nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// MkdirAll is Mkdir for a folder and those above it, as far as they are missing.
func MkdirAll(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if above := filepath.Dir(path); above != path {
		if err := MkdirAll(above); err != nil {
			return err
		}
	}
	err := Mkdir(path)
	if info, missing := os.Stat(path); errors.Is(err, fs.ErrExist) && missing == nil && info.IsDir() {
		return nil // somebody else has just made it
	}
	return err
}

// Rights by which somebody can change a file or what is in a folder, and those by which somebody can put another in the
// place of a folder.
const (
	deleteChild = 0x40 // FILE_DELETE_CHILD

	replaces = windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL | deleteChild
	changes  = replaces | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE
)

// access is who owns a file and whom its access list lets do something.
type access struct {
	owner *windows.SID
	can   []*windows.SID // nil stands for everybody
	text  *windows.SECURITY_DESCRIPTOR
}

// accessTo reads the access list of a file, or of a link itself. Denials do not count: most are for others.
func accessTo(path string, rights windows.ACCESS_MASK) (*access, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	file, err := windows.CreateFile(name, windows.READ_CONTROL,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING,
		windows.FILE_FLAG_BACKUP_SEMANTICS|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(file)
	text, err := windows.GetSecurityInfo(file, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, err
	}
	a := &access{text: text}
	if a.owner, _, err = text.Owner(); err != nil {
		return nil, err
	}
	list, _, err := text.DACL()
	if err != nil || list == nil {
		a.can = []*windows.SID{nil}
		return a, nil
	}
	for i := range uint32(list.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &entry); err != nil {
			return nil, err
		}
		const conditional = 9
		kind := entry.Header.AceType
		if (kind == windows.ACCESS_ALLOWED_ACE_TYPE || kind == conditional) && entry.Mask&rights != 0 &&
			entry.Header.AceFlags&windows.INHERIT_ONLY_ACE == 0 {
			a.can = append(a.can, (*windows.SID)(unsafe.Pointer(&entry.SidStart)))
		}
	}
	return a, nil
}

// trustedInstaller owns what Windows itself has installed.
const trustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

// isAdmin reports whether somebody is the system or an administrator, who can do everything anyway.
func isAdmin(who *windows.SID) bool {
	return who != nil && (who.IsWellKnown(windows.WinLocalSystemSid) ||
		who.IsWellKnown(windows.WinBuiltinAdministratorsSid) || who.String() == trustedInstaller)
}

// isOwn reports whether somebody is this user, or an administrator. What is for the owner of a file is in the list for
// whoever that is.
func isOwn(who *windows.SID) bool {
	user, err := me()
	return isAdmin(who) || err == nil && who != nil && (who.Equals(user) ||
		who.IsWellKnown(windows.WinCreatorOwnerSid) || who.IsWellKnown(windows.WinCreatorOwnerRightsSid))
}

// isEverybody reports whether a group is one that all users are in, or all at this machine.
func isEverybody(who *windows.SID) bool {
	return who == nil || slices.ContainsFunc([]windows.WELL_KNOWN_SID_TYPE{
		windows.WinWorldSid, windows.WinAuthenticatedUserSid, windows.WinBuiltinUsersSid, windows.WinInteractiveSid,
		windows.WinNetworkSid, windows.WinBuiltinGuestsSid, windows.WinAnonymousSid, windows.WinAccountDomainUsersSid,
	}, who.IsWellKnown)
}

func nameOf(who *windows.SID) string {
	if who == nil {
		return "everybody"
	}
	if name, _, _, err := who.LookupAccount(""); err == nil {
		return name
	}
	return who.String()
}

// Owned reports whether a file belongs to this user or to an administrator.
func Owned(path string, _ os.FileInfo) bool {
	a, err := accessTo(path, 0)
	return err == nil && isOwn(a.owner)
}

// WritableByAll reports whether all users of the machine may change a file.
func WritableByAll(path string, _ os.FileInfo) bool {
	a, err := accessTo(path, changes)
	return err != nil || slices.ContainsFunc(a.can, isEverybody)
}

// CheckOwn refuses what anybody but this user and administrators can change.
func CheckOwn(path string) error { return check(path, changes, isOwn) }

// CheckPrivate refuses what anybody but this user and administrators can even read.
func CheckPrivate(path string) error { return check(path, ^windows.ACCESS_MASK(0), isOwn) }

// CheckAbove refuses a folder in whose place anybody but this user and administrators can put another.
func CheckAbove(path string) error { return check(path, replaces, isOwn) }

// CheckManaged refuses what anybody but administrators can change. tested: this user may, too.
func CheckManaged(path string, tested bool) error {
	if tested {
		return CheckOwn(path)
	}
	return check(path, changes, isAdmin)
}

func check(path string, rights windows.ACCESS_MASK, may func(*windows.SID) bool) error {
	a, err := accessTo(path, rights)
	if err != nil {
		return fmt.Errorf("has an access list that cannot be read: %w", err)
	}
	if !may(a.owner) {
		return fmt.Errorf("belongs to %s", nameOf(a.owner))
	}
	if i := slices.IndexFunc(a.can, func(who *windows.SID) bool { return !may(who) }); i >= 0 {
		return fmt.Errorf("can be written to by %s", nameOf(a.can[i]))
	}
	return nil
}

// Mend is the command that leaves a file or folder to this user, the system and administrators.
func Mend(path string) string {
	rights, user := ":F", "%USERNAME%"
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		rights = ":(OI)(CI)F"
	}
	if sid, err := me(); err == nil {
		user = "*" + sid.String()
	}
	command := "icacls " + shellword.Local(path) + " /inheritance:r /grant:r"
	for _, who := range []string{user, "*S-1-5-18", "*S-1-5-32-544"} {
		command += ` "` + who + rights + `"`
	}
	return command
}

var errWritable = errors.New("can be written to by everybody; take that away (see icacls) or name another")

// OthersWrite reports whether all users of the machine may write to a file or a folder.
func OthersWrite(path string, info os.FileInfo) bool { return WritableByAll(path, info) }
