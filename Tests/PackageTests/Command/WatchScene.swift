import Foundation

extension GateHome {
  /// Runs a line of shell beside a watch of this home, which is ended with it.
  ///
  /// In the line, `watch ARGUMENT…` starts `gate token --watch` in the background, with its process in `$pid` and what
  /// it says in the file `errors`, and returns when it has begun: the file `token` is there. `finish` sends it SIGTERM
  /// and prints its status. `sign_in EMAIL` signs in elsewhere, in the same home. The outcome's errors are those of the
  /// watch.
  func beside(
    _ line: String, tokenLifetime: Int? = nil, environment: [String: String] = [:]
  ) async throws -> ChildProcess.Outcome {
    var environment = environment
    environment["GATEHOUSE_HOME"] = path
    environment["GATEHOUSE_TOKEN_LIFETIME"] = tokenLifetime.map { "\($0)" } ?? ""
    environment["password"] = Self.password
    environment["ada"] = Self.email
    return try await shell(Self.tools + line, environment: environment)
  }

  private static let tools = """
    pid=
    trap '[ -z "$pid" ] || kill -9 $pid 2> /dev/null; [ ! -e errors ] || cat errors >&2' EXIT
    watch() {
      gate token --watch "$@" 2>> errors & pid=$!
      await '[ -s token ] || [ -s folder/token ] || ! kill -0 $pid 2> /dev/null'
    }
    ended() { await '! kill -0 $pid 2> /dev/null'; wait $pid; echo "status $?"; pid=; }
    finish() { kill -TERM $pid; ended; }
    sign_in() { printf %s "$password" | gate sign-in "$1" --password-stdin > signed-in || exit 98; }
    says() { grep -q "$1" errors; }

    """
}
