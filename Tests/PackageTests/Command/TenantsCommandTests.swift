import Foundation
import GatehouseBase
import GatehouseJOSE
import Testing

/// `gate tenants`, and `--tenant` of the other commands.
struct TenantsCommandTests {
  private static let password = "a long password"

  @Test func `tenants are made, listed and deleted with their accounts`() async throws {
    try await GateHome.withAda { home in
      let empty = try await home.gate("tenants", "list")
      #expect(empty.output == "there is no tenant\n", "\(empty)")
      let made = try await home.gate("tenants", "create", "north", "--name", "The North", "--json")
      let json = try JSONObject(parsing: made.output.utf8)
      #expect(json.names == ["id", "displayName", "created"] && json["displayName"] == "The North", "\(made)")
      #expect(try await home.gate("tenants", "create", "south").output == "made a tenant: south\n")
      let again = try await home.gate("tenants", "create", "south")
      #expect(again.status == 1 && again.errors.contains("there is a tenant south already"), "\(again)")
      let bad = try await home.gate("tenants", "create", "no name")
      #expect(bad.status == 1 && bad.errors.contains("[invalidArgument]"), "\(bad)")
      let list = try JSONObject(parsing: try await home.gate("tenants", "list", "--json").output.utf8)
      #expect(list["tenants"]?.array?.map { $0["id"] } == ["north", "south"])
      #expect(list["tenants"]?.array?.last?.object?.names == ["id", "created"])
      #expect(try await home.gate("tenants", "list").output == "north, The North\nsouth\n")

      let user = try await home.gate("users", "create", "eve@example.com", "--uid", "eve", "--tenant", "north")
      #expect(user.output == "made an account: eve@example.com (eve), of the tenant north\n", "\(user)")
      #expect(try await home.gate("users", "list", "--tenant", "north").output.split(separator: "\n").count == 1)
      #expect(try await home.gate("users", "list", "--tenant", "south").output == "")
      #expect(try await home.gate("users", "list").output.split(separator: "\n").count == 2)
      for arguments in [["users", "list"], ["users", "create", "x@example.com"]] {
        let none = try await home.gate(arguments + ["--tenant", "west"], input: [])
        #expect(none.status == 1 && none.errors.contains("the project has no such tenant"), "\(none)")
      }

      let unasked = try await home.shell("setsid -w gate --home \"$home\" tenants delete north < /dev/null")
      #expect(unasked.status == 2 && unasked.errors.contains("--yes"), "\(unasked)")
      let deleted = try await home.gate("tenants", "delete", "north", "--yes", "--json")
      #expect(deleted.output == #"{"deleted":true,"id":"north"}"# + "\n", "\(deleted)")
      #expect(try await home.gate("users", "show", "eve").status == 1)
      let gone = try await home.gate("tenants", "delete", "north", "--yes")
      #expect(gone.status == 1 && gone.errors.contains("no tenant is called north"), "\(gone)")
    }
  }

  @Test func `users sign up and in, and reset passwords, in the tenant that is named`() async throws {
    try await GateHome.withAda { home in
      _ = try await home.gate("tenants", "create", "north")
      let inNorth = [GateHome.email, "--tenant", "north", "--password-stdin"]
      let none = try await home.gate(["sign-in"] + inNorth, input: Array(GateHome.password.utf8))
      #expect(none.status == 1 && none.errors.contains("[userNotFound]"), "\(none)")
      let made = try await home.gate(["sign-up"] + inNorth, input: Array(Self.password.utf8))
      #expect(made.succeeded, "\(made)")
      let taken = try await home.gate(["sign-up"] + inNorth, input: Array(Self.password.utf8))
      #expect(taken.status == 1 && taken.errors.contains("[emailAlreadyInUse]"), "\(taken)")
      let token = try UnverifiedToken(String(try await home.gate("token").output.dropLast()))
      #expect(token.claims["firebase"]?["tenant"] == "north")

      // What asks for the password again is about the tenant's account, and a sign-in without the option is not.
      let new = "another long password"
      let changed = try await home.gate("password", "--password-stdin", input: "\(Self.password)\n\(new)\n")
      #expect(changed.succeeded, "\(changed)")
      let project = try await home.gate("sign-in", GateHome.email, "--password-stdin", input: GateHome.password)
      #expect(project.succeeded, "\(project)")
      let back = try await home.gate(["sign-in"] + inNorth, input: Array(new.utf8))
      #expect(back.succeeded, "\(back)")

      // A reset names the project's account, though the tenant's user is signed in.
      for (tenant, password) in [([], "the project's new one"), (["--tenant", "north"], "the north's new one")] {
        let sent = try await home.gate(["reset-password", GateHome.email, "--json"] + tenant, input: [])
        let link = try #require(try JSONObject(parsing: sent.output.utf8)["link"]?.string, "\(sent)")
        let set = try await home.gate("apply-code", "--code-stdin", input: "\(link)\n\(password)\n")
        #expect(set.succeeded, "\(set)")
        let signedIn = try await home.gate(
          ["sign-in", GateHome.email, "--password-stdin"] + tenant, input: Array(password.utf8))
        #expect(signedIn.succeeded, "\(signedIn)")
      }
    }
  }
}
