import HangGuard

/// A wait in a line of shell, for something that another program does.
enum ShellWait {
  /// `await CONDITION` returns when the condition, a line of shell, succeeds. It waits as long as a hang may last: then
  /// it says what has not come true, and ends the shell with the status of a hang.
  static let function = function(naps: Watchdog.seconds * 10)

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
