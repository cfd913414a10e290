import Foundation
import GatehouseAdmin
import GatehouseBase
import IdentityToolkit
import Testing

/// Users from elsewhere, with the password hashes of other systems.
struct AdminImportTests {
  typealias Place = AdminScene.Place

  /// A hash of another system: the vectors of `ImportTests`, made with Python's hashlib and argon2-cffi, and Google's.
  struct Sample: Sendable, CustomTestStringConvertible {
    let hash: UserImportHash
    let value: String
    var salt: String? = "TmFDbA=="
    var password = "correct horse"

    var testDescription: String { "\(hash)" }

    static let key = Array("key of an hmac".utf8)
    static let all: [Sample] = {
      var samples = [
        Sample(
          hash: .hmacSHA512(key: key),
          value: "ZZk/YbJBVOL8J1fI7JP/Vcla2l+ozBFbyALsDu7iGIpJk2EZ9O0p6z9OqbhY5w6ctTeKgoRun4iZq7xyeEwndQ=="),
        Sample(hash: .hmacSHA256(key: key), value: "O2ws8Gmy1wg95dtbhEK1daI1nbFugeNUg3rzFeSRu9M="),
        Sample(hash: .hmacSHA1(key: key), value: "saNa0jLzzmLeU4x5xP4c6QEITw8="),
        Sample(hash: .hmacMD5(key: key), value: "pVY+P9SY1BCccKp+niS51w=="),
        Sample(
          hash: .sha512(rounds: 1),
          value: "4IdaenA5cN2AZMoR0rnpk8WGwSlhiitcbUzmUBLT5xl6QkBdyfrgySC9Y6m6UmeYUA5iRt0+CZ1dDFAbCVUfNg=="),
        Sample(hash: .sha256(rounds: 2), value: "KlTLHlt4UYu++pWiDDSwZCc1cH91zSWV/hL7GS0N9lc="),
        Sample(
          hash: .sha256(rounds: 1, order: .passwordAndSalt), value: "RZt1ffPUBCPIm1ExiBme2/Pq6LjxmOV+UuwTDxYUEXk="),
        Sample(hash: .sha1(rounds: 3), value: "2Cs2yfKn+Zs2/cqtwj42RIBz2/E="),
        Sample(hash: .md5(rounds: 2), value: "/IHkN/KpU7agGiI9y/EXxQ=="),
        Sample(hash: .md5(rounds: 0), value: "ZDg5N2NjNTRlOTRmZTMzZTRkYTM5ODU5OWNiZGZiZWM="),
        Sample(
          hash: .pbkdf2SHA256(rounds: 100),
          value: "NeoqbYq7133tGXeYtJ8BiS56Vy39IoV51nWmzhMhL43zLRpfSIoPdMP2eiXtjN1GBNuMerOEgdQXeq0cIDI3zw=="),
        Sample(hash: .pbkdfSHA1(rounds: 10), value: "ns0xSl+k1uwpd8i4gIgs1M+CKgY="),
        Sample(
          hash: .standardScrypt(cost: 1024, blockSize: 8, parallelization: 16, derivedKeyLength: 64),
          value: "MSiJwC9ZguMu7d/HwPslFokudr3cDg35xe5d+wLMDxQjs2K93+bdiRfUdOIx/OTkUhAzTItUp6GGyo/yCMHI1w=="),
        Sample(
          hash: .argon2(.init(hashLength: 32, parallelism: 2, iterations: 2, memoryKiB: 64)),
          value: "ZdBTTpw8BQMLIW1eFSQuXrzS8bj/a1ZbmCQUlUBp/yA=", salt: "ZWlnaHQgYnl0ZXMgc2FsdA=="),
        Sample(
          hash: .bcrypt,
          value: "JDJhJDA2JC5yQ1ZaVk9UaHNJYTk3cEVET3h2R3VSUmd6RzY0YnZ0SjA5Mzh4dXF6djE4ZDNacFFoc3RD",
          salt: nil, password: "abcdefghijklmnopqrstuvwxyz"),
      ]
      let signerKey = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
      if let key = Data(base64Encoded: signerKey) {
        samples.append(
          Sample(
            hash: .scrypt(key: Array(key), saltSeparator: [7], rounds: 8, memoryCost: 14),
            value: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
            salt: "42xEC+ixf3L2lw==", password: "user1password"))
      }
      return samples
    }()
  }

  @Test(arguments: Place.allCases, Sample.all)
  func `a user signs in with the password of another system`(place: Place, sample: Sample) async throws {
    let scene = try await AdminScene(place)
    var user = UserImportRecord(uid: "ada", email: "ada@example.com")
    user.setPassword(hash: try bytes(sample.value), salt: try sample.salt.map(bytes))
    let result = try await scene.admin.importUsers([user], hash: sample.hash)
    #expect(result.successCount == 1 && result.errors.isEmpty)
    for (password, status) in [(sample.password + "!", 400), (sample.password, 200)] {
      let reply = await scene.scene.post(
        "/v1/accounts:signInWithPassword", #"{"email":"ada@example.com","password":"\#(password)"}"#)
      #expect(reply.status == status)
    }
  }

  @Test func `there is a sample of each hash`() {
    #expect(Set(Sample.all.map { "\($0.hash)" }) == Set(PasswordHashAlgorithm.allCases.map(\.rawValue)))
  }

  @Test(arguments: Place.allCases)
  func `an imported user is what the record says`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    var user = UserImportRecord(uid: "ada", email: "Ada@example.com")
    user.isEmailVerified = true
    user.displayName = "Ada"
    user.photoURL = "https://example.com/ada.png"
    user.phoneNumber = "+12025550123"
    user.isDisabled = true
    user.customClaims = ["role": "countess"]
    user.providerData = [ProviderProfile(providerID: "google.com", uid: "g-1")]
    user.secondFactors = [.phone("+12025550124", displayName: "work", uid: "factor")]
    user.creationDate = Date(timeIntervalSince1970: 1_000_000_000.5)
    user.lastSignInDate = Date(timeIntervalSince1970: 1_100_000_000)
    #expect(try await admin.importUsers([user]).failureCount == 0)
    let found = try await admin.getUser(byUID: "ada")
    #expect(found.email == "ada@example.com" && found.isEmailVerified && found.isDisabled)
    #expect(found.displayName == "Ada" && found.photoURL == "https://example.com/ada.png")
    #expect(found.phoneNumber == "+12025550123" && found.customClaims == ["role": "countess"])
    #expect(found.providerData.contains { $0.providerID == "google.com" && $0.uid == "g-1" })
    #expect(found.secondFactors.map(\.uid) == ["factor"] && found.secondFactors.first?.displayName == "work")
    #expect(found.creationDate == user.creationDate && found.lastSignInDate == user.lastSignInDate)
  }

  @Test(arguments: Place.allCases)
  func `a user who cannot be imported costs no other, and is told by their index`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    _ = try await admin.createUser(CreateUserRequest(uid: "taken", email: "taken@example.com"))
    var forbidden = UserImportRecord(uid: "b")
    forbidden.customClaims = ["sub": "root"]
    var phone = UserImportRecord(uid: "d")
    phone.phoneNumber = "nonsense"
    let result = try await admin.importUsers([
      UserImportRecord(uid: "a"), UserImportRecord(uid: "taken"), forbidden, phone,
      UserImportRecord(uid: "e", email: "taken@example.com"), UserImportRecord(uid: "f"), UserImportRecord(uid: ""),
    ])
    #expect(result.successCount == 2 && result.failureCount == 5)
    #expect(result.errors.map(\.index) == [1, 2, 3, 4, 6])
    #expect(result.errors.allSatisfy { $0.error.code == .invalidArgument && !$0.error.message.isEmpty })
    #expect(result.errors.dropFirst().first?.error.serverCode == "FORBIDDEN_CLAIM")
    #expect(try await admin.listUsers().users.map(\.uid) == ["a", "f", "taken"])
  }

  @Test(arguments: Place.allCases)
  func `an import that cannot be is refused as a whole`(place: Place) async throws {
    let admin = try await AdminScene(place).admin
    #expect(try await admin.importUsers([]).successCount == 0)
    let many = (0...1000).map { UserImportRecord(uid: "u\($0)") }
    await expectRefusal(.invalidArgument) { try await admin.importUsers(many) }
    var user = UserImportRecord(uid: "ada")
    user.setPassword(hash: Array(repeating: 1, count: 32), salt: [1])
    let missing = await expectRefusal(.invalidArgument) { try await admin.importUsers([user]) }
    #expect(missing?.serverCode == "MISSING_HASH_ALGORITHM")
    let rounds = await expectRefusal(.invalidArgument) { try await admin.importUsers([user], hash: .sha256(rounds: 0)) }
    #expect(rounds?.serverCode == "INVALID_HASH_ROUNDS")
    let twice = await expectRefusal(.invalidArgument) {
      try await admin.importUsers([UserImportRecord(uid: "a"), UserImportRecord(uid: "a")])
    }
    #expect(twice?.serverCode == "DUPLICATE_LOCAL_ID")
    #expect(try await admin.listUsers().users.isEmpty)
  }

  @Test(arguments: Place.allCases)
  func `a tenant's import is the tenant's`(place: Place) async throws {
    let scene = try await AdminScene(place)
    let tenant = try await scene.admin.tenantManager.createTenant(TenantSettings(displayName: "shop"))
    let admin = scene.admin.auth(forTenant: tenant.tenantID)
    #expect(try await admin.importUsers([UserImportRecord(uid: "ada")]).successCount == 1)
    #expect(try await admin.getUser(byUID: "ada").tenantID == tenant.tenantID)
    #expect(try await scene.admin.listUsers().users.isEmpty)
  }

  @Test func `a server that refuses a user who was not sent is not believed`() async throws {
    let scene = try await AdminScene()
    scene.wire.intercept { request in
      guard request.url.contains("batchCreate") else { return nil }
      return TransportResponse(
        status: 200, body: Array(#"{"error":[{"index":1,"message":"x"}]}"#.utf8), url: request.url)
    }
    await expectRefusal(.responseInvalid) { try await scene.admin.importUsers([UserImportRecord(uid: "a")]) }
  }

  @Test func `a record and a hash show nothing of their secrets`() throws {
    var user = UserImportRecord(uid: "ada")
    user.setPassword(hash: Array("the hash".utf8), salt: Array("the salt".utf8))
    var dumped = ""
    dump(user, to: &dumped)
    dump(UserImportHash.hmacSHA256(key: Array("secret".utf8)), to: &dumped)
    #expect(!dumped.contains(Data("the hash".utf8).base64EncodedString()))
    #expect(!dumped.contains(Data("secret".utf8).base64EncodedString()) && !dumped.contains("115"))
    #expect("\(UserImportHash.hmacSHA256(key: Array("secret".utf8)))" == "HMAC_SHA256")
  }

  private func bytes(_ text: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: text))) }
}
