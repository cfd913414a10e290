import HangGuard

/// Waits in a line of shell, for something that another program does.
enum ShellWait {
  /// `await CONDITION` returns when the condition, a line of shell, succeeds. It waits as long as a hang may last: then
  /// it says what has not come true, and ends the shell with the status of a hang.
  static let function = function(naps: Watchdog.seconds * 10)

  /// `writes PROCESS DESCRIPTOR` succeeds while a thread of the process, which the shell has started, is in a write to
  /// the descriptor: system call 1 on x86-64, and 64 on arm64. The shell itself reads which call it is, because a
  /// system may let only an ancestor read that.
  static let writes = """
    writes() {
      for call in /proc/$1/task/*/syscall; do
        { read -r call < "$call"; } 2> /dev/null || continue
        case $call in "1 0x$2 "*|"64 0x$2 "*) return 0;; esac
      done
      return 1
    }

    """

  /// - Parameter naps: how many naps of 0.1 s are a hang.
  static func function(naps: Int) -> String {
    """
    await() {
      naps=0
      until eval "$1"; do
        naps=$((naps + 1))
        [ $naps -lt \(naps) ] || { echo "it never came true: $1" >&2; exit \(Watchdog.exitStatus); }
        sleep 0.1
      done
    }

    """
  }
}
