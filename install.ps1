# Installs hookrun on Windows, for this user:
#
#   irm https://github.com/hookrun/hookrun/releases/latest/download/install.ps1 | iex
#
# With arguments: & ([scriptblock]::Create((irm .../install.ps1))) -Version 1.0.0 -Dir C:\tools
#
# It downloads the archive of this system, compares its sum with SHA256SUMS, and puts hookrun.exe into -Dir, by default
# %LOCALAPPDATA%\Programs\hookrun. Where gh is logged in, gh also verifies that the release workflow of hookrun built
# the archive. Nothing else is written. If anything goes wrong, -Dir stays as it was.
#
# HOOKRUN_BASE_URL is the address of the releases, by default https://github.com/hookrun/hookrun/releases.
param([string]$Version = '', [string]$Dir = "$env:LOCALAPPDATA\Programs\hookrun")

& {
    Set-StrictMode -Version 2
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue' # Windows PowerShell downloads many times slower with a progress bar
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor 3072 # TLS 1.2

    $base = 'https://github.com/hookrun/hookrun/releases'
    if ($env:HOOKRUN_BASE_URL) { $base = $env:HOOKRUN_BASE_URL.TrimEnd('/') }
    $Version = $Version -replace '^v', ''
    if ($Version -notmatch '^[0-9A-Za-z.+-]*$') { throw "$Version is no version; give one as 1.0.0" }
    # A 32-bit PowerShell has the processor of the machine in PROCESSOR_ARCHITEW6432.
    $processor = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
    $system = switch ($processor) {
        'AMD64' { 'windows_amd64' }
        'ARM64' { 'windows_arm64' }
        default { throw "there is no hookrun for Windows on $processor" }
    }

    $Dir = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Dir)
    $made = -not (Test-Path $Dir)
    $null = New-Item -ItemType Directory -Force $Dir
    $target = Join-Path $Dir 'hookrun.exe'
    # Windows keeps the file of a program that runs: remove what an earlier run replaced and could not remove.
    Get-ChildItem $Dir -Directory -Filter '.hookrun-install-*' | Where-Object { Test-Path "$($_.FullName)\old.exe" } |
        Remove-Item -Recurse -Force -ErrorAction SilentlyContinue
    # The temporary files are in -Dir, so that the last step is a rename on one drive.
    $work = Join-Path $Dir ('.hookrun-install-' + [Guid]::NewGuid())
    $null = New-Item -ItemType Directory $work
    try {
        $from = if ($Version) { "$base/download/v$Version" } else { "$base/latest/download" }
        $sums = Join-Path $work 'SHA256SUMS'
        Invoke-WebRequest -UseBasicParsing "$from/SHA256SUMS" -OutFile $sums
        $line = Get-Content $sums | Where-Object { $_ -match "^[0-9a-f]{64}  hookrun_[^ /\\]+_$system\.zip$" } |
            Select-Object -First 1
        if (-not $line) { throw "$from/SHA256SUMS has no archive for $system" }
        $sum, $archive = $line -split '  '
        $found = $archive -replace '^hookrun_', '' -replace "_$system\.zip$", ''
        if ($Version -and $found -ne $Version) { throw "$from has version $found, not $Version" }
        $zip = Join-Path $work $archive
        Invoke-WebRequest -UseBasicParsing "$base/download/v$found/$archive" -OutFile $zip
        if ((Get-FileHash $zip -Algorithm SHA256).Hash -ne $sum) {
            throw "the sum of $archive is not that of SHA256SUMS: cut or changed on the way; nothing was installed"
        }
        if (Get-Command gh -ErrorAction SilentlyContinue) {
            $ErrorActionPreference = 'Continue' # what gh writes to stderr is no error of this script
            $null = gh auth status --hostname github.com 2>&1
            if ($LASTEXITCODE -eq 0) {
                $null = gh attestation verify $zip --repo hookrun/hookrun 2>&1
                if ($LASTEXITCODE -ne 0) {
                    throw "gh finds no attestation of hookrun's release workflow for $archive; nothing was installed"
                }
            }
            $ErrorActionPreference = 'Stop'
        }
        Expand-Archive $zip (Join-Path $work 'archive')
        $new = Join-Path $work 'archive\hookrun.exe'
        $says = & $new version
        if ($LASTEXITCODE -ne 0) { throw "the hookrun of $archive does not run here; nothing was installed" }
        if (Test-Path $target) {
            [IO.File]::Replace($new, $target, (Join-Path $work 'old.exe')) # also while the old one runs
        } else {
            [IO.File]::Move($new, $target)
        }
        $made = $false
        Write-Output "$says is installed: $target"
    } finally {
        Remove-Item -Recurse -Force $work -ErrorAction SilentlyContinue
        if ($made) { Remove-Item $Dir -ErrorAction SilentlyContinue }
    }
    if (($env:PATH -split ';') -notcontains $Dir) { Write-Output "$Dir is not in your PATH; add it in the settings" }
}
