package machine

import "golang.org/x/sys/windows/registry"

func systemID() string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`,
		registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return ""
	}
	defer key.Close()
	id, _, _ := key.GetStringValue("MachineGuid")
	return id
}
