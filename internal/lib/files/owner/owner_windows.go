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

	"github.com/hookrun/hookrun/internal/lib/shellword"
)

// currentUser is the user of this process.
var currentUser = sync.OnceValues(func() (*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return user.User.Sid, nil
})

// Descriptor returns a security descriptor with access for this user, and for the SDDL entries of more. No entry is
// inherited from the folder above, and new files in a folder inherit the entries.
func Descriptor(more string) (*windows.SECURITY_DESCRIPTOR, error) {
	user, err := currentUser()
	if err != nil {
		return nil, err
	}
	return windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + user.String() + ")" + more)
}

// Admins is an SDDL text with access for the system and administrators.
const Admins = "(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"

// Attributes returns Descriptor(more) for the creation of a file or folder.
func Attributes(more string) (*windows.SecurityAttributes, error) {
	descriptor, err := Descriptor(more)
	attributes := windows.SecurityAttributes{SecurityDescriptor: descriptor}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	return &attributes, err
}

// Mkdir makes a folder for this user, the system and administrators, like the home folder of a user.
func Mkdir(path string) error {
	security, err := Attributes(Admins)
	if err != nil {
		return err
	}
	return mkdir(path, security)
}

// MkdirManaged makes a folder that administrators can change and all users can read.
func MkdirManaged(path string) error {
	descriptor, err := windows.SecurityDescriptorFromString("O:BAD:P" + Admins + "(A;OICI;FRFX;;;BU)")
	if err != nil {
		return err
	}
	security := &windows.SecurityAttributes{SecurityDescriptor: descriptor}
	security.Length = uint32(unsafe.Sizeof(*security))
	return mkdir(path, security)
}

func mkdir(path string, security *windows.SecurityAttributes) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	if err := windows.CreateDirectory(name, security); err != nil {
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	return nil
}

// MkdirAll is Mkdir for a folder and all missing folders above.
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
		return nil // another process has just made it
	}
	return err
}

// changeRights allow to change a file or the entries of a folder, replaceRights to replace a folder by another.
const (
	deleteChild = 0x40 // FILE_DELETE_CHILD

	replaceRights = windows.DELETE | windows.WRITE_DAC | windows.WRITE_OWNER | windows.GENERIC_ALL | deleteChild
	changeRights  = replaceRights | windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.GENERIC_WRITE
)

// access is the owner of a file, and the accounts with a right to it.
type access struct {
	owner      *windows.SID
	allowed    []*windows.SID               // a nil element means all users
	descriptor *windows.SECURITY_DESCRIPTOR // holds the memory of the accounts
}

// accessTo returns the owner of a file or of a link itself, and the accounts with one of the rights. Denials do not
// count, because most are for other accounts.
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
	descriptor, err := windows.GetSecurityInfo(file, windows.SE_FILE_OBJECT,
		windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, err
	}
	a := &access{descriptor: descriptor}
	if a.owner, _, err = descriptor.Owner(); err != nil {
		return nil, err
	}
	list, _, err := descriptor.DACL()
	if err != nil || list == nil {
		a.allowed = []*windows.SID{nil}
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
			a.allowed = append(a.allowed, (*windows.SID)(unsafe.Pointer(&entry.SidStart)))
		}
	}
	return a, nil
}

// trustedInstaller owns the files installed by Windows itself.
const trustedInstaller = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

// isAdmin reports whether an account is the system or an administrator, and so can do everything anyway.
func isAdmin(who *windows.SID) bool {
	return who != nil && (who.IsWellKnown(windows.WinLocalSystemSid) ||
		who.IsWellKnown(windows.WinBuiltinAdministratorsSid) || who.String() == trustedInstaller)
}

// isOwn reports whether an account is this user or an administrator. Entries for the owner, whoever owns the file,
// count too, because callers check the owner.
func isOwn(who *windows.SID) bool {
	user, err := currentUser()
	return isAdmin(who) || err == nil && who != nil && (who.Equals(user) ||
		who.IsWellKnown(windows.WinCreatorOwnerSid) || who.IsWellKnown(windows.WinCreatorOwnerRightsSid))
}

// isEverybody reports whether a group has all users, or all users at this machine.
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
	a, err := accessTo(path, changeRights)
	return err != nil || slices.ContainsFunc(a.allowed, isEverybody)
}

// CheckOwn refuses a file or folder if an account other than this user and administrators can change it.
func CheckOwn(path string) error { return check(path, changeRights, isOwn) }

// CheckPrivate refuses a file or folder if an account other than this user and administrators can even read it.
func CheckPrivate(path string) error { return check(path, ^windows.ACCESS_MASK(0), isOwn) }

// CheckAbove refuses a folder if an account other than this user and administrators can replace it.
func CheckAbove(path string) error { return check(path, replaceRights, isOwn) }

// CheckManaged refuses a file or folder if an account other than administrators can change it. If tested is true, this
// user may change it, too.
func CheckManaged(path string, tested bool) error {
	if tested {
		return CheckOwn(path)
	}
	return check(path, changeRights, isAdmin)
}

func check(path string, rights windows.ACCESS_MASK, may func(*windows.SID) bool) error {
	a, err := accessTo(path, rights)
	if err != nil {
		return fmt.Errorf("has an access list that cannot be read: %w", err)
	}
	if !may(a.owner) {
		return fmt.Errorf("belongs to %s", nameOf(a.owner))
	}
	if i := slices.IndexFunc(a.allowed, func(who *windows.SID) bool { return !may(who) }); i >= 0 {
		return fmt.Errorf("can be written to by %s", nameOf(a.allowed[i]))
	}
	return nil
}

// Mend returns the command that restricts a file or folder to this user, the system and administrators.
func Mend(path string) string {
	rights, user := ":F", "%USERNAME%"
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		rights = ":(OI)(CI)F"
	}
	if sid, err := currentUser(); err == nil {
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
