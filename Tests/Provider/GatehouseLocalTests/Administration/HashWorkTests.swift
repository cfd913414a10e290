import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import HangGuard
import IdentityToolkit
import Logging
import Testing

/// The maximum work and memory of a password hash of another system, for every algorithm.
@Suite(.endsIfItHangs, .serialized) struct HashWorkTests {
  /// A hash at the maximum of its algorithm, and one just above it.
  struct Limit: Sendable {
    let algorithm: String
    let hashBytes: Int
    /// The hash as text, for bcrypt.
    var text: String?
    var rounds: Int?
    /// The part of the stored hash that says its work, at the maximum and above it; `nil` for a fixed work.
    var stored: (atMaximum: String, above: String)?
    /// Sets the parameters of the call, at the maximum or above it.
    var set: @Sendable (inout ImportAccounts, _ isAbove: Bool) -> Void = { _, _ in }

    static let all = [
      Limit(algorithm: "STANDARD_SCRYPT", hashBytes: 32, stored: (#""p":3"#, #""p":4"#)) { call, isAbove in
        (call.cpuMemCost, call.blockSize, call.parallelization, call.dkLen) = (1 << 20, 4, isAbove ? 4 : 3, 32)
      },
      Limit(algorithm: "SCRYPT", hashBytes: 64, stored: (#""memoryCost":14"#, #""memoryCost":22"#)) { call, isAbove in
        call.signerKey = Secret(Base64.encode([UInt8](repeating: 7, count: 64)))
        (call.rounds, call.memoryCost) = (8, isAbove ? 15 : 14)
      },
      Limit(algorithm: "BCRYPT", hashBytes: 60, stored: (bcrypt(16), bcrypt(17))) { call, isAbove in
        guard isAbove else { return }
        call.users[0].passwordHash = Secret(bcrypt(17))
      },
      Limit(algorithm: "ARGON2", hashBytes: 32, stored: (#""iterations":4"#, #""iterations":5"#)) { call, isAbove in
        var parameters = ImportAccounts.Argon2Parameters()
        (parameters.hashType, parameters.hashLengthBytes, parameters.parallelism) = ("ARGON2_ID", 32, 1)
        (parameters.memoryCostKib, parameters.iterations) = (1 << 20, isAbove ? 5 : 4)
        call.argon2Parameters = parameters
      },
      Limit(algorithm: "PBKDF2_SHA256", hashBytes: 32, stored: rounds(10_000_000, 10_000_001)) { call, isAbove in
        call.rounds = isAbove ? 10_000_001 : 10_000_000
      },
      Limit(algorithm: "PBKDF_SHA1", hashBytes: 40, stored: rounds(5_000_000, 5_000_001)) { call, isAbove in
        call.rounds = isAbove ? 5_000_001 : 5_000_000
      },
      digest("SHA512", 64), digest("SHA256", 32), digest("SHA1", 20), digest("MD5", 16),
      hmac("HMAC_SHA512", 64), hmac("HMAC_SHA256", 32), hmac("HMAC_SHA1", 20), hmac("HMAC_MD5", 16),
    ]

    private static func rounds(_ atMaximum: Int, _ above: Int) -> (atMaximum: String, above: String) {
      ("\"rounds\":\(atMaximum)", "\"rounds\":\(above)")
    }

    private static func bcrypt(_ cost: Int) -> String {
      Base64.encode(Array("$2b$\(cost)$\(String(repeating: "a", count: 53))".utf8))
    }

    private static func digest(_ name: String, _ bytes: Int) -> Limit {
      Limit(algorithm: name, hashBytes: bytes, stored: rounds(8192, 2_500_001)) { call, isAbove in
        call.rounds = isAbove ? 8193 : 8192
      }
    }

    private static func hmac(_ name: String, _ bytes: Int) -> Limit {
      Limit(algorithm: name, hashBytes: bytes) { call, _ in call.signerKey = Secret("a2V5IG9mIGFuIGhtYWM=") }
    }

    func call(isAbove: Bool) -> ImportAccounts {
      var user = ImportedAccount(localId: algorithm.lowercased())
      user.email = "\(algorithm.lowercased())@example.com"
      user.passwordHash = Secret(
        algorithm == "BCRYPT" ? Self.bcrypt(16) : Base64.encode([UInt8](repeating: 7, count: hashBytes)))
      user.salt = Secret("ZWlnaHQgYnl0ZXM=")
      var call = ImportAccounts(users: [user])
      call.hashAlgorithm = algorithm
      set(&call, isAbove)
      return call
    }
  }

  @Test func `an import takes a hash of the maximum work, and refuses one just above it, for every algorithm`()
    async throws
  {
    let scene = Scene()
    #expect(Limit.all.count == 14, "the algorithms of the protocol")
    for limit in Limit.all {
      #expect(try await scene.backend.answer(limit.call(isAbove: false)).error == nil, "\(limit.algorithm)")
      _ = try await scene.backend.answer(DeleteAccount(localId: limit.algorithm.lowercased()))
      guard limit.stored != nil else { continue }
      var reason: String?
      do throws(AuthError) {
        reason = try await scene.backend.answer(limit.call(isAbove: true)).error?.first?.message
      } catch { reason = error.message }
      #expect(reason?.contains(/maximum is|must be/) == true, "\(limit.algorithm): \(reason ?? "accepted")")
    }
  }

  @Test(arguments: [(n: 1 << 20, r: 7, p: 64), (1 << 20, 8, 1), (1 << 15, 8, 64), (1 << 24, 64, 64)])
  func `scrypt's work is limited like its memory, and the refusal says what to do`(
    n: Int, r: Int, p: Int
  ) async throws {
    let scene = Scene()
    var call = Limit.all[0].call(isAbove: false)
    (call.cpuMemCost, call.blockSize, call.parallelization) = (n, r, p)
    let refusal = await expectRefusal("INVALID_ARGUMENT") { try await scene.backend.answer(call) }
    #expect(refusal?.message.contains("Import the account without its password") == true)
    let text = "hash_config { algorithm: STANDARD_SCRYPT, mem_cost: \(n), block_size: \(r), parallelization: \(p), "
    #expect(throws: AuthError.self) { try UserFileHash(reading: (text + "dk_len: 32 }").utf8) }
    let own = Scene { $0.passwordCost = PasswordCost(n: n, r: r, p: p) }
    await #expect(throws: AuthError.self) { try await own.backend.open() }
  }

  @Test
  func
    `a stored hash of the maximum work is used, and one above it is a wrong password, for every algorithm`()
    async throws
  {
    let log = SpokenLog()
    let scene = Scene { $0.logger = Logger(label: "test") { _ in log } }
    for limit in Limit.all { _ = try await scene.backend.answer(limit.call(isAbove: false)) }
    for limit in Limit.all {
      let uid = limit.algorithm.lowercased()
      let stored = try #require(try scene.rows("SELECT password FROM account WHERE uid = '\(uid)'").first?.first ?? nil)
      #expect(try HashWork(stored: stored).isAllowed, "\(limit.algorithm)")
      guard let (atMaximum, above) = limit.stored else { continue }
      #expect(stored.contains(atMaximum), "\(limit.algorithm): \(stored)")
      let costlier = stored.replacing(atMaximum, with: above)
      #expect(try !HashWork(stored: costlier).isAllowed, "\(limit.algorithm)")
      try scene.execute("UPDATE account SET password = '\(costlier)' WHERE uid = '\(uid)'")
      await expectRefusal("INVALID_PASSWORD") { try await scene.signIn("\(uid)@example.com", "correct horse") }
    }
    try await scene.signUp()
    try scene.execute(
      "UPDATE account SET password = replace(password, '$16$1$1$', '$1048576$7$64$') WHERE email LIKE 'ada%'")
    await expectRefusal("INVALID_PASSWORD") { try await scene.signIn() }
    while log.lines.isEmpty { await Task.yield() }
    try await scene.backend.close()
    #expect(log.lines.count { $0.contains("costs more than a hash may") } == 1, "\(log.lines)")
  }

  @Test func `hashes that cost much more than ours leave the threads of all others alone`() async throws {
    let scene = Scene { $0.throttle = Throttle(attempts: 100) }
    let home = Caller(address: "198.51.100.1")
    let known = scene.backend.backend(for: home)
    _ = try await known.answer(SignUp(email: "ada@example.com", password: Secret("correct horse")))
    var call = Limit.all[4].call(isAbove: false)
    // Twice the work of ours, and a little more.
    call.rounds = 1_260_000
    _ = try await scene.backend.answer(call)
    let gate = WatchedSemaphore(value: 0)
    HashThreads.costly.async { gate.wait() }
    let guess = SignInWithPassword(email: "pbkdf2_sha256@example.com", password: Secret("wrong horse"))
    var tasks: [Task<AuthError?, Never>] = []
    // Administrators' calls have no limit, and strangers' one of their own.
    for number in 0..<7 {
      var caller = Caller(address: "10.0.\(number).1")
      caller.isAdministrator = number < 4
      tasks.append(
        Task { [caller, backend = scene.backend] in
          let backend = backend.backend(for: caller)
          do throws(AuthError) {
            _ = try await backend.answer(guess)
            return AuthError?.none
          } catch { return error }
        })
    }
    while scene.backend.costly.waiting.known + scene.backend.costly.waiting.strangers < 5 { await Task.yield() }
    // Two checks have begun, and wait for the one thread that such hashes have in the process.
    while HashThreads.costly.waiting.known < 2 { await Task.yield() }
    try await scene.signIn()
    let signIn = SignInWithPassword(email: "ada@example.com", password: Secret("correct horse"))
    _ = try await known.answer(signIn)
    _ = try await scene.backend.backend(for: Caller(address: "192.0.2.1")).answer(signIn)
    #expect(HashThreads.costly.waiting.known == 2, "one hash at a time")
    gate.signal()
    for task in tasks { #expect(await task.value?.serverCode == "INVALID_PASSWORD") }
  }
}
