import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

/// Each call of the list of all calls states the truth about itself.
struct CallStatementsTests {
  /// A value of each call, with an empty value of each member that it needs.
  static func samples() throws -> [any Call] { try EveryCall.types.map { try blank($0) } }

  private static func blank<C: Call>(_ type: C.Type) throws -> any Call { try C(from: BlankDecoder()) }

  static func statement<C: Call>(
    of call: C, _ set: (inout LocalOptions) -> Void = { _ in }
  ) -> (authority: Authority, work: CallWork)? {
    var options = LocalOptions()
    set(&options)
    return LocalBackend.statement(of: call, options)
  }

  @Test func `the provider answers each call`() throws {
    for call in try Self.samples() { #expect(Self.statement(of: call) != nil, "\(type(of: call))") }
  }

  @Test func `a call reads only if the protocol says so`() throws {
    for call in try Self.samples() {
      let work = Self.statement(of: call) { $0.rotatesRefreshTokens = true }?.work
      // These wait for the disk, because their events are there before the answer (decision 152).
      let isEvent = call is ListAccounts || call is QueryAccounts || call is ListResources
      #expect((work == .reading) == (type(of: call).isReadOnly && !isEvent), "\(type(of: call))")
    }
    var several = LookupAccounts()
    several.localId = ["ada"]
    #expect(Self.statement(of: several)?.work == .reading)
    several.email = ["bob@example.com"]
    #expect(Self.statement(of: several)?.work == .changing)
    // Without rotation, a refresh changes at most the time of the last one.
    #expect(Self.statement(of: ExchangeRefreshToken(refreshToken: Secret("t")))?.work == .reading)
  }

  @Test func `only a call with a password waits behind hashes`() throws {
    #expect(Self.statement(of: SignUp())?.work == .changing)
    #expect(Self.statement(of: SignUp(email: "a@example.com", password: Secret("p")))?.work == .hashing)
    var update = Update(idToken: Secret("t"))
    update.displayName = "Ada"
    #expect(Self.statement(of: update)?.work == .changing)
    update.password = Secret("p")
    #expect(Self.statement(of: update)?.work == .hashing)
    #expect(Self.statement(of: ResetPassword(oobCode: Secret("c")))?.work == .changing)
    #expect(Self.statement(of: ResetPassword(oobCode: Secret("c"), newPassword: Secret("p")))?.work == .hashing)
    let hashing = try Self.samples().filter { Self.statement(of: $0)?.work == .hashing }
    #expect(hashing.map { "\(type(of: $0))" } == ["SignInWithPassword"])
  }

  @Test func `administrators' calls are for administrators, and no others are`() async throws {
    let scene = Scene()
    for call in try Self.samples() {
      let isAdmin = call is any AdminCall
      #expect((Self.statement(of: call)?.authority == .administrator) == isAdmin, "\(type(of: call))")
      let refusal = await Self.refusal(of: call, by: scene.backend.backend(for: Caller()))
      #expect((refusal == "INSUFFICIENT_PERMISSION") == isAdmin, "\(type(of: call)): \(refusal ?? "no refusal")")
      #expect(await Self.refusal(of: call, by: scene.backend) != "INSUFFICIENT_PERMISSION", "\(type(of: call))")
    }
  }

  @Test func `a call on behalf of a user is refused without the user's token`() async throws {
    let scene = Scene()
    var users = 0
    for blank in try Self.samples() where Self.statement(of: blank)?.authority == .user {
      users += 1
      // A blank one asks for no kind of factor, which is refused first.
      let call = blank is StartMfaEnrollment ? StartMfaEnrollment(idToken: Secret("")) : blank
      #expect(await Self.refusal(of: call, by: scene.backend) == "INVALID_ID_TOKEN", "\(type(of: call))")
    }
    #expect(users > 8)
  }

  private static func refusal<C: Call>(of call: C, by backend: some Backend) async -> String? {
    do throws(AuthError) {
      _ = try await backend.answer(call)
      return nil
    } catch { return error.serverCode ?? "\(error.code)" }
  }
}

/// Decodes an empty value of each member that is required, and omits the others.
private struct BlankDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Keyed<Key>())
  }
  func unkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed() }
  func singleValueContainer() -> any SingleValueDecodingContainer { Single() }

  fileprivate static func value<T: Decodable>(_ type: T.Type) throws -> T {
    if let kind = ResourceKind.project as? T { return kind }
    if let answer = ResourceAnswer() as? T { return answer }
    if let type = RevokeToken.TokenType.refreshToken as? T { return type }
    return try T(from: BlankDecoder())
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }
    func contains(_ key: Key) -> Bool { false }
    func decodeNil(forKey key: Key) -> Bool { true }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try BlankDecoder.value(type) }
    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> { BlankDecoder().container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { Unkeyed() }
    func superDecoder() -> any Decoder { BlankDecoder() }
    func superDecoder(forKey key: Key) -> any Decoder { BlankDecoder() }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    var currentIndex: Int { 0 }
    func decodeNil() -> Bool { true }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try BlankDecoder.value(type) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
      BlankDecoder().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { Unkeyed() }
    func superDecoder() -> any Decoder { BlankDecoder() }
  }

  private struct Single: SingleValueDecodingContainer {
    var codingPath: [any CodingKey] { [] }
    func decodeNil() -> Bool { true }
    func decode(_ type: Bool.Type) -> Bool { false }
    func decode(_ type: String.Type) -> String { "" }
    func decode(_ type: Double.Type) -> Double { 0 }
    func decode(_ type: Float.Type) -> Float { 0 }
    func decode(_ type: Int.Type) -> Int { 0 }
    func decode(_ type: Int8.Type) -> Int8 { 0 }
    func decode(_ type: Int16.Type) -> Int16 { 0 }
    func decode(_ type: Int32.Type) -> Int32 { 0 }
    func decode(_ type: Int64.Type) -> Int64 { 0 }
    func decode(_ type: UInt.Type) -> UInt { 0 }
    func decode(_ type: UInt8.Type) -> UInt8 { 0 }
    func decode(_ type: UInt16.Type) -> UInt16 { 0 }
    func decode(_ type: UInt32.Type) -> UInt32 { 0 }
    func decode(_ type: UInt64.Type) -> UInt64 { 0 }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try BlankDecoder.value(type) }
  }
}
