import Foundation
import TestSupport
import Testing

/// The accounts of the daemon when their files, users and kinds change.
struct AgentAccountsTests {
  /// `enter NAME ADDRESS OPTION…` signs in. `until_is FILE TEXT` waits until a file has a text. `fetch NAME` has a
  /// token fetched, and prints the status of the answer.
  private static let tools =
    AgentCommandTests.tools + """
      enter() { printf %s "$password" | gate agent login "$@" --home "$home" --password-stdin; }
      until_is() {
        copied=$1 wanted=$2
        await '[ "$(cat "$copied" 2> /dev/null)" = "$wanted" ] || ! kill -0 $pid'
      }
      fetch() {
        curl -sS -o /dev/null -w '%{http_code}\\n' -X POST --unix-socket "$home/agent/agent.socket" \\
          http://a/v1/accounts/$1/refresh
      }
      until_ended() { kill -TERM $pid; wait $pid; echo "daemon $?"; }

      """

  @Test func `an account whose files cannot be read lends on after a reload, and recovers without one`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          enter mail ada@example.com > /dev/null || exit 98
          agent
          gate agent token mail --home "$home" > first || exit 97
          file=$home/agent/accounts/mail/backend.json
          touch "$file"; chmod 644 "$file"
          gate agent reload --home "$home"
          gate agent token mail --home "$home" | cmp - first && echo "lends on"
          grep -o "mail stays what it was" errors
          rm "$file"; fetch mail
          until_ended

          touch "$file"; chmod 644 "$file"
          agent
          gate agent token mail --home "$home" 2>&1 | grep -o "mail/backend.json" | head -1
          rm "$file"; fetch mail
          gate agent token mail --home "$home" > second || exit 96
          gate agent reload --home "$home"
          gate agent token mail --home "$home" | cmp - second && echo "lends on"
          until_ended
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          "1 account, 0 changed", "lends on", "mail stays what it was", "200", "daemon 0", "mail/backend.json", "200",
          "1 account, 0 changed", "lends on", "daemon 0",
        ], "\(outcome)")
    }
  }

  @Test func `after a login as another user the former user's token is lent no more`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          printf %s "$password" | gate sign-up bob@example.com --home "$home" --password-stdin > /dev/null || exit 99
          whose() {
            gate agent token mail --home "$home" | cut -d. -f2 | tr '_-' '/+' | base64 -d 2> /dev/null \\
              | grep -o '"email":"[a-z]*'
          }
          enter mail ada@example.com > /dev/null || exit 98
          agent
          whose
          # The daemon hears nothing of this login.
          enter mail bob@example.com --socket "$PWD/none" > /dev/null || exit 97
          gate agent reload --home "$home"
          whose
          gate agent reload --home "$home"
          until_ended
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          #""email":"ada"#, "1 account, 1 changed", #""email":"bob"#, "1 account, 0 changed", "daemon 0",
        ], "\(outcome)")
    }
  }

  @Test func `a logout ends the session that an account had before it was of another kind`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          (umask 077; printf opaque > token)
          enter mail ada@example.com > /dev/null || exit 98
          gate agent login mail --token-file token --home "$home"
          gate agent logout mail --home "$home"
          gate agent login mail --token-file token --home "$home"
          gate agent logout mail --home "$home"
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          "mail: the account is made", "mail: signed out, and removed", "mail: the account is made", "mail: removed",
        ], "\(outcome)")
    }
  }

  @Test func `a token's file that is removed after a logout, or when a person must sign in, stays away`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          (umask 077; printf opaque > token; printf witness > witness)
          echo '{"accounts": {"witness": {"tokenFile": "'$PWD'/witness"}}, "files": {
            "side": {"path": "'$PWD'/side-copy"}, "mail": {"path": "'$PWD'/mail-copy"},
            "witness": {"path": "'$PWD'/witness-copy"}}}' > agent.json
          # The witness's file is looked at together with the others.
          look() { for again in 1 2; do rm witness-copy; until_is witness-copy witness; done; }
          gate agent login side --token-file token --home "$home" > /dev/null || exit 98
          enter mail ada@example.com > /dev/null || exit 97
          agent --config agent.json
          until_is side-copy opaque; until_is witness-copy witness
          until_is mail-copy "$(gate agent token mail --home "$home")"
          gate agent logout side --home "$home"
          [ -e side-copy ] && echo "the file stays"
          rm side-copy; look; [ -e side-copy ] || echo "gone after the logout"
          gate users revoke ada@example.com --home "$home" > /dev/null || exit 96
          fetch mail
          rm mail-copy; look; [ -e mail-copy ] || echo "gone until a login"
          enter mail ada@example.com > /dev/null || exit 95
          until_is mail-copy "$(gate agent token mail --home "$home")"; [ -s mail-copy ] && echo "there again"
          until_ended
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          "side: removed", "the file stays", "gone after the logout", "409", "gone until a login", "there again",
          "daemon 0",
        ], "\(outcome)")
    }
  }
}
