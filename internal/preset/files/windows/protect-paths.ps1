# Blocks file tools that write outside of the workspace, into .git, or to the hooks and settings that guard this project.
# Wire: {"command": ["./.tenex-hooks/protect-paths.ps1"], "events": ["pre-tool"], "matcher": "fs_write|fs_edit|Write|Edit", "on_failure": "block"}

# It treats every tool that the matcher matches as one that writes. What it cannot read, it blocks. It runs in Windows
# PowerShell 5.1 and in PowerShell 7. Input and output are UTF-8, whatever the console has.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$utf8 = New-Object System.Text.UTF8Encoding($false)

function Block([string]$why) {
    $bytes = $utf8.GetBytes('blocked: ' + $why + "`n")
    $stderr = [Console]::OpenStandardError()
    $stderr.Write($bytes, 0, $bytes.Length)
    $stderr.Flush()
    exit 2
}
trap { Block ('this hook failed, so nobody has checked the path: ' + $_) }

function Check($path) {
    if ($path -isnot [string] -or $path -eq '' -or $path -match '[\x00-\x1f"<>|*?]') {
        Block 'this hook could not read the path of the call'
    }
    if ($path.StartsWith('~')) { Block "$path is outside of the workspace" }
    if ($path -match '(^|[\\/])\.\.[. ]*([\\/]|$)') { Block "$path has a .. in it; write the path without" }
    # A stream of a file, and a path that depends on the current folder of a drive.
    if ($path -match '^[A-Za-z]:(?![\\/])' -or ($path -replace '^[A-Za-z]:', '').Contains(':')) {
        Block "$path has a : in it that is not behind the letter of a drive"
    }

    $full = [IO.Path]::GetFullPath([IO.Path]::Combine($cwd, $path)).TrimEnd('\')
    if (-not $full.StartsWith($root + '\', [StringComparison]::OrdinalIgnoreCase)) {
        Block "$path is outside of the workspace"
    }
    $inside = $full.Substring($root.Length + 1)
    if ($inside -match '~[0-9]') { Block "$path may be a short name; write the whole name" } # .git is also GIT~1
    $place = $root
    $name = '\'
    foreach ($part in $inside.Split('\')) {
        $place = $place + '\' + $part
        $item = Get-Item -LiteralPath $place -Force -ErrorAction SilentlyContinue
        if ($item -and @('SymbolicLink', 'Junction') -contains $item.LinkType) {
            Block "$path goes through the link $place; write the path that it leads to"
        }
        $name = $name + $part.TrimEnd('.', ' ') + '\' # Windows takes no notice of these
    }
    $why = ''
    if ($name -like '*\.git\*') { $why = '.git' }
    if ($name -like '*\.tenex-hooks*') { $why = 'the hooks of this project' }
    foreach ($pattern in '*\.claude\settings*', '*\.claude\hooks\*', '*\.codex\*', '*\.gemini\*') {
        if ($name -like $pattern) { $why = "a client's settings" }
    }
    if ($why) { Block "${path}: $why is for people to change; ask" }
}

# CheckPatch checks the paths in a patch for Codex's apply_patch. It tells whether the text is one.
function CheckPatch($text) {
    if ($text -isnot [string] -or -not $text.Contains('*** ')) { return $false }
    foreach ($match in [regex]::Matches($text, '(?m)^\s*\*\*\* (?:[AUD][a-z]* File|Move to): *([^\r\n]*)')) {
        Check $match.Groups[1].Value.Trim()
    }
    return $true
}

$stdin = New-Object System.IO.StreamReader([Console]::OpenStandardInput(), $utf8)
$call = $stdin.ReadToEnd() | ConvertFrom-Json
$cwd = $env:HOOKRUN_WORKSPACE
if (-not $cwd) { Block 'this hook could not find the workspace' }
$root = [IO.Path]::GetFullPath($cwd).TrimEnd('\')
$given = $call.PSObject.Properties['cwd']
if ($given -and $given.Value -and (Test-Path -LiteralPath $given.Value -PathType Container)) { $cwd = $given.Value }

$found = $false
$arguments = $call.args
if ($arguments -is [string]) {
    $found = CheckPatch $arguments
} elseif ($arguments) {
    foreach ($key in 'path', 'file_path', 'filePath', 'notebook_path', 'target_file', 'source', 'destination',
        'old_path', 'new_path') {
        $argument = $arguments.PSObject.Properties[$key]
        if ($argument -and $null -ne $argument.Value) { # null is as if it were not there
            Check $argument.Value
            $found = $true
        }
    }
    foreach ($key in 'command', 'input', 'patch', 'patchText') {
        $argument = $arguments.PSObject.Properties[$key]
        if ($argument -and (CheckPatch $argument.Value)) { $found = $true }
    }
}
if (-not $found) { Block 'the call names no path that this hook knows, so nobody has checked it' }
exit 0
