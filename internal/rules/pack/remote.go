package pack

var remote = Pack{
	Name: "remote", Version: 1, Summary: "no code from the network, no decoded code, no reverse shells",
	Rules: []Rule{
		{
			Name: "no-piped-download", Blocks: "a shell or an interpreter that runs downloaded code",
			Find: func(c *Call) Found { return c.runsOutputOf(downloads) },
			Doubt: [][]string{
				{"curl", "wget", "iwr ", "irm ", "invoke-webrequest", "invoke-restmethod", "downloadstring", "urlopen",
					"requests.get"},
				{"| sh\n", "|sh\n", "| sh &", "| bash\n", "|bash\n", "| bash &", "| sh -s", "| bash -s", "| sh :::",
					"| bash :::", "=(curl", "| sh -\n", "| bash -\n", "| sh'", "| sh\"", "| sh)", "|sh'", "|sh\"",
					"|sh)", "|bash'", "|bash\"", "|bash)", "| bash'", "| bash\"", "| bash)", "| sudo sh", "|sudo sh",
					"| sudo bash", "|sudo bash", "| zsh", "|zsh", "| python3\n", "| python\n", "| node\n", "<(curl",
					"<(wget", "eval $(curl", "eval `curl", "sh -c $(curl", "sh -c $(wget", "sh -c `curl", "eval $(wget",
					"iex ", "iex(", "|iex", "| iex", "invoke-expression", "exec(urllib", "exec(requests",
					"eval(requests", "exec(__import__"},
			},
		},
		{
			Name: "no-download-and-run", Blocks: "a program or a script that the same line downloads",
			Find: func(c *Call) Found { return c.runsFile(c.savedFiles(downloads, savedBy)) },
		},
		{
			Name: "no-decoded-code", Blocks: "a shell or an interpreter that runs decoded text",
			Find: decodedCode,
			Doubt: [][]string{
				{"b64decode", "decode_base64", "base64_decode", "atob(", "frombase64string", "base64 -d",
					"base64 --decode", "base64 -d", ", 'base64')", ", \"base64\")", "unhexlify", "fromhex("},
				{"exec(", "eval(", "eval $", "eval `", "os.system", "subprocess", "execsync", "iex",
					"invoke-expression", "| sh\n", "|sh\n", "| bash\n", "|bash\n", "|sh'", "|sh\"", "| sh'", "| sh\"",
					"|bash'", "|bash\"", "| bash'", "| bash\""},
			},
		},
		{
			Name: "no-reverse-shell", Blocks: "a shell that is connected to the network",
			Find: reverseShell,
			Doubt: [][]string{
				{"/dev/tcp/", "/dev/udp/", "/inet/tcp/", "socket.socket", "import socket", "io::socket", "use socket",
					"tcpsocket", "fsockopen", "net.socket", "net.connect", "require('net')", "require(\"net\")",
					"require(net)", "sockets.tcpclient"},
				{"sh -i", "/bin/sh", "/bin/bash", "pty.spawn", "dup2", "cmd.exe", "<&5 |", "<&3 |", "while read",
					"sh <&", "bash <&", "iex", "exec \"sh", "spawn('sh'", "spawn(\"sh\"", "spawn('bash'", "0>&1",
					"0<&", "getline"},
			},
		},
	},
}
