import Testing

/// Servers over TLS, with certificates of an authority of one's own.
@Suite(
  .enabled("openssl or python3 is not installed") { await OpenSSLCommand.isThere ? await WebServer.isThere : false })
struct AuthorityTests {
  /// Makes an authority, a server's certificate, keys and a token; then serves them over TLS while a line runs.
  private static func served(_ scene: KeyScene, _ line: String, name: String) async throws -> ChildProcess.Outcome {
    let make = """
      exec 2> log
      openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority -days 2
      openssl req -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj /CN=server
      printf 'subjectAltName=\(name)' > names
      openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem
      gate key generate --out key > shown; gate jwks key > keys.json; rm ca.key
      """
    let made = try await scene.home.shell(make)
    #expect(made.succeeded, "\(made)")
    return try await WebServer.run(
      in: scene.home.folder,
      """
      t=$(gate jwt sign --key key --issuer me --audience app --subject ada --expires-in 600)
      verify() { gate verify --issuer me --audience app --jwks "$url/keys.json" "$t"; }
      \(line)
      """, environment: scene.home.environment.merging(["certificate": "server"]) { $1 })
  }

  @Test func `an unknown authority is named, with what to do`() async throws {
    try await KeyScene.with { scene in
      let outcome = try await Self.served(scene, "verify", name: "DNS:localhost")
      #expect(outcome.status == 1 && outcome.errors.contains("[keysUnavailable]"), "\(outcome)")
      let words = "the certificate of localhost is not from an authority that this machine trusts"
      #expect(outcome.errors.contains(words) && outcome.errors.contains("update-ca-certificates"), "\(outcome)")
    }
  }

  /// What `update-ca-certificates` does to the machine's file, here for one process: in a namespace of its own.
  @Test(
    .enabled("there are no namespaces for this user") {
      (try? await ChildProcess("unshare", ["-rm", "true"]).run())?.succeeded ?? false
    },
    arguments: [("DNS:localhost", nil), ("DNS:other.example", "a certificate for other hosts only")])
  func `an authority among the machine's is trusted`(name: String, refusal: String?) async throws {
    try await KeyScene.with { scene in
      let outcome = try await Self.served(
        scene,
        """
        cat /etc/ssl/certs/ca-certificates.crt ca.pem > all
        export url t; unshare -rm sh -c 'mount --bind all /etc/ssl/certs/ca-certificates.crt
          exec gate verify --issuer me --audience app --jwks "$url/keys.json" "$t"'
        """, name: name)
      guard let refusal else { return #expect(outcome.succeeded && outcome.output.contains("(ada)"), "\(outcome)") }
      #expect(outcome.status == 1 && outcome.errors.contains(refusal), "\(outcome)")
    }
  }

  /// The way without the machine's authorities: another program fetches the keys.
  @Test(
    .enabled("curl is not installed") { (try? await ChildProcess("curl", ["--version"]).run())?.succeeded ?? false })
  func `keys that curl has fetched need no authority`() async throws {
    try await KeyScene.with { scene in
      let outcome = try await Self.served(
        scene,
        """
        curl --silent --show-error --fail --cacert ca.pem "$url/keys.json" |
          gate verify --issuer me --audience app --jwks /dev/stdin "$t"
        """, name: "DNS:localhost")
      #expect(outcome.succeeded && outcome.output.contains("(ada)"), "\(outcome)")
    }
  }
}
