import Foundation
import GatehouseBase
import GatehouseCrypto
import GatehouseJOSE
import Testing

/// `gate service-accounts`, and a program that administers `gate serve` by its file.
struct ServiceAccountsCommandTests {
  @Test func `service accounts are made, listed and deleted`() async throws {
    try await GateHome.withAda { home in
      #expect(try await home.gate("service-accounts", "list").output == "there is no service account\n")
      let made = try await home.gate("service-accounts", "create", "backend", "--out", "backend.json", "--json")
      let json = try JSONObject(parsing: made.output.utf8)
      #expect(
        json.names == ["email", "kid", "tokenURI", "created", "file"] && json["file"] == "backend.json", "\(made)")
      #expect(!made.output.contains("PRIVATE") && !made.errors.contains("PRIVATE"))
      let email = try #require(json["email"]?.string)
      let path = home.folder + "/backend.json"
      let file = try JSONObject(parsing: try Data(contentsOf: URL(filePath: path)))
      #expect(file["type"] == "service_account" && file["client_email"] == json["email"])
      #expect(file["private_key_id"] == json["kid"] && file["token_uri"] == "http://127.0.0.1:9099/token")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)

      let again = try await home.gate("service-accounts", "create", "backend", "--out", "other.json")
      #expect(again.status == 1 && again.errors.contains("there is a service account \(email) already"), "\(again)")
      let before = try Data(contentsOf: URL(filePath: path))
      let over = try await home.gate("service-accounts", "create", "second", "--out", "backend.json")
      #expect(over.status == 1, "\(over)")
      #expect(try Data(contentsOf: URL(filePath: path)) == before, "another account's key is not lost")
      let bad = try await home.gate("service-accounts", "create", "No Name")
      #expect(bad.status == 1 && bad.errors.contains("[invalidArgument]"), "\(bad)")
      let inside = try await home.gate("service-accounts", "create", "third", "--out", home.path + "/session.json")
      #expect(inside.status != 0, "\(inside)")

      let list = try JSONObject(parsing: try await home.gate("service-accounts", "list", "--json").output.utf8)
      let accounts = try #require(list["serviceAccounts"]?.array)
      #expect(accounts.count == 1 && accounts.first?["email"]?.string == email, "a refused one leaves nothing")
      #expect(accounts.first?.object?.names == ["email", "keys", "tokenURI", "created"])

      let over2 = try await home.gate("service-accounts", "add-key", "backend", "--out", "backend.json")
      #expect(over2.status == 1, "\(over2)")
      let added = try await home.gate("service-accounts", "add-key", "backend", "--out", "second.json", "--json")
      let second = try JSONObject(parsing: added.output.utf8)
      #expect(second.names == ["email", "kid", "tokenURI", "created", "file"] && second["email"]?.string == email)
      let secondFile = try JSONObject(
        parsing: try Data(contentsOf: URL(filePath: home.folder + "/second.json")))
      #expect(secondFile["private_key_id"] == second["kid"] && secondFile["client_email"] == json["email"])
      let both = try JSONObject(parsing: try await home.gate("service-accounts", "list", "--json").output.utf8)
      let keys = try #require(both["serviceAccounts"]?.array?.first?["keys"]?.array)
      #expect(keys.map { $0["kid"] } == [json["kid"], second["kid"]], "the refused one left no key: \(keys)")
      let kid = try #require(json["kid"]?.string)
      let dropped = try await home.gate("service-accounts", "delete-key", "backend", kid, "--json")
      #expect(dropped.output == #"{"deleted":true,"email":"\#(email)","kid":"\#(kid)"}"# + "\n", "\(dropped)")
      let unknown = try await home.gate("service-accounts", "delete-key", "backend", kid)
      #expect(unknown.status == 1 && unknown.errors.contains("has no key \(kid)"), "\(unknown)")
      let last = try await home.gate("service-accounts", "delete-key", "backend", second["kid"]?.string ?? "")
      #expect(last.status == 1 && last.errors.contains("last key"), "\(last)")

      let deleted = try await home.gate("service-accounts", "delete", "backend", "--json")
      #expect(deleted.output == #"{"deleted":true,"email":"\#(email)"}"# + "\n", "\(deleted)")
      let gone = try await home.gate("service-accounts", "delete", "backend")
      #expect(gone.status == 1 && gone.errors.contains("no service account is called backend"), "\(gone)")
    }
  }

  @Test(
    .enabled("curl is not installed") { (try? await ChildProcess("curl", ["--version"]).run())?.succeeded ?? false })
  func `a program administers a server by its file, until its account is deleted`() async throws {
    try await GateHome.withAda { home in
      #expect(try await home.gate("service-accounts", "create", "backend", "--out", "backend.json").succeeded)
      let file = try JSONObject(parsing: try Data(contentsOf: URL(filePath: home.folder + "/backend.json")))
      let signer = try TokenSigner(
        key: PrivateKey(pem: Secret(file["private_key"]?.string ?? "")), algorithm: .RS256,
        keyID: file["private_key_id"]?.string)
      let now = Int64(Date().timeIntervalSince1970)
      let assertion = try signer.sign([
        "iss": file["client_email"] ?? .null, "aud": file["token_uri"] ?? .null, "iat": .number(JSONNumber(now)),
        "exp": .number(JSONNumber(now + 600)),
      ])
      let outcome = try await home.shell(
        ServeCommandTests.tools + """
          serve
          list="$address/v1/projects/$1/accounts:batchGet"
          token() {
            curl --silent --show-error "$address/token" --data-urlencode "assertion=$2" \
              --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer
          }
          access=$(token x "$2" | sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p')
          ask() { curl --silent --output "$1" --write-out '%{http_code}\\n' "$list" -H "Authorization: Bearer $2"; }
          ask with "$access"; ask without "owner"; ask unsigned "$2"
          grep -c ada@example.com with
          gate service-accounts delete backend --home "$home" > deleted
          ask after "$access"
          token x "$2" | grep -o invalid_grant
          """, file["project_id"]?.string ?? "", assertion)
      #expect(outcome.output == "200\n401\n401\n1\n401\ninvalid_grant\n", "\(outcome)")
    }
  }
}
