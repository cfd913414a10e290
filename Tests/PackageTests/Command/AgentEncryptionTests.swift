import Foundation
import Testing

/// The sessions of the token daemon under a key.
struct AgentEncryptionTests {
  /// `enter NAME OPTION…` signs in. `kept` is the first member of the session's file. `until_ended` ends the daemon.
  private static let tools =
    AgentCommandTests.tools + """
      enter() { printf %s "$password" | gate agent login "$@" --home "$home" --password-stdin; }
      kept() { grep -oE '^[{]"format":[0-9]*(,"key":"[0-9a-f]*")?' "$home/agent/accounts/mail/session.json"; }
      until_ended() { kill -TERM $pid; wait $pid || echo "daemon $?"; }
      address=ada@example.com

      """

  @Test func `a key of the settings encrypts the sessions, and a new key takes over`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          first=$(gate agent make-key "$PWD/key" | sed 's/.*the key //'); stat -c %a key
          gate agent make-key "$PWD/key" 2> refused || grep -o "is there already" refused
          echo '{"encryptionKeyFile": "'$PWD'/key"}' > agent.json
          gate agent check --config agent.json --home "$home" | grep -o "under the key $first" > /dev/null || exit 98
          enter mail $address --config agent.json > /dev/null || exit 97
          [ "$(kept)" = '{"format":3,"key":"'$first'"' ] && echo encrypted
          agent --config agent.json
          gate agent token mail --home "$home" > token || exit 96
          for file in $(find "$home/agent" -type f); do
            grep -q -e "$(cut -d. -f2 token)" -e refreshToken "$file" && echo "$file is in plain"
          done
          until_ended

          gate agent make-key "$PWD/next" > /dev/null
          echo '{"encryptionKeyFile": ["'$PWD'/next", "'$PWD'/key"]}' > agent.json
          agent --config agent.json
          gate agent token mail --home "$home" > /dev/null && kept | grep -qv $first && echo "under the new key"
          until_ended
          echo '{"encryptionKeyFile": "'$PWD'/next"}' > agent.json
          agent --config agent.json
          gate agent token mail --home "$home" > /dev/null && echo "without the former key"
          gate agent logout mail --config agent.json --home "$home"
          until_ended
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          "600", "is there already", "encrypted", "under the new key", "without the former key",
          "mail: signed out, and removed",
        ], "\(outcome)")
    }
  }

  @Test func `without its key, or under another one, a session is left alone, and the account says why`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          gate agent make-key "$PWD/key" > /dev/null; gate agent make-key "$PWD/other" > /dev/null
          echo '{"encryptionKeyFile": "'$PWD'/key"}' > agent.json
          enter mail $address --config agent.json > /dev/null || exit 98
          file=$home/agent/accounts/mail/session.json; cp "$file" before
          refused() { "$@" > /dev/null 2> error; echo "status $?"; grep -o "$words" error; }
          for settings in '{}' '{"encryptionKeyFile": "'$PWD'/other"}'; do
            echo "$settings" > wrong.json
            agent --config wrong.json
            words="is encrypted under the key $(kept | cut -d'"' -f6), and this program was given [a-z ]*"
            refused gate agent token mail --home "$home" | sed "s/key [0-9a-f]*/key ID/"
            gate agent list --home "$home" | grep -oE "mail: failing|is encrypted"
            until_ended
            refused gate agent logout mail --config wrong.json --home "$home" | sed "s/key [0-9a-f]*/key ID/"
            refused enter mail $address --config wrong.json | head -1
          done
          words="the session of 'mail' is encrypted, and a new one would not be"
          refused enter second $address
          chmod 644 key; words="cannot be used: .*; run: chmod"
          refused gate agent check --config agent.json --home "$home" | sed "s/used:.*;/used:/"
          [ ! -e "$home/agent/accounts/second" ] && cmp before "$file" && echo "left alone"
          chmod 600 key; agent --config agent.json; gate agent token mail --home "$home" > /dev/null && echo lent
          until_ended
          """, environment: ["password": GateHome.password])
      let (none, another) = ("no key", "another one ")
      func told(_ given: String) -> [Substring] {
        let words: Substring = "is encrypted under the key ID, and this program was given \(given)"
        return ["status 1", words, "mail: failing", "is encrypted", "status 1", words, "status 1"]
      }
      let last: [Substring] = [
        "status 1", "the session of 'mail' is encrypted, and a new one would not be", "status 1",
        "cannot be used: run: chmod", "left alone", "lent",
      ]
      let expected = [told(none), told(another), last].flatMap(\.self)
      #expect(outcome.output.split(separator: "\n") == expected, "\(outcome)")
    }
  }

  @Test func `a credential of the service manager is the key, and a session in plain is encrypted`() async throws {
    try await GateHome.withAda { home in
      let outcome = try await home.shell(
        Self.tools + """
          enter mail $address > /dev/null || exit 98
          kept
          export CREDENTIALS_DIRECTORY=$PWD/credentials; (umask 077; mkdir credentials)
          id=$(gate agent make-key credentials/gatehouse-agent-key | sed 's/.*the key //')
          agent
          gate agent token mail --home "$home" > /dev/null || exit 97
          [ "$(kept)" = '{"format":3,"key":"'$id'"' ] && echo encrypted
          enter mail $address > /dev/null && gate agent token mail --home "$home" > /dev/null && echo "signed in again"
          until_ended
          mv credentials/gatehouse-agent-key credentials/gatehouse-agent-key-former
          gate agent check --home "$home" 2>&1 | grep -o "a credential gatehouse-agent-key-former, and none"
          gate agent make-key credentials/gatehouse-agent-key > /dev/null
          agent
          gate agent token mail --home "$home" > /dev/null && kept | grep -qv $id && echo "under the new key"
          until_ended
          """, environment: ["password": GateHome.password])
      #expect(
        outcome.output.split(separator: "\n") == [
          #"{"format":1"#, "encrypted", "signed in again", "a credential gatehouse-agent-key-former, and none",
          "under the new key",
        ], "\(outcome)")
    }
  }
}
