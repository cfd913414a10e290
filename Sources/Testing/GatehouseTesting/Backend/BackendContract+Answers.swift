import GatehouseBase
import IdentityToolkit

extension BackendContract {
  static let answering: [Check] = [
    Check(name: "many calls at once get each its own answer") { backend in
      let people = (0..<16).map { _ in Person() }
      let made = try await atOnce(people) { try await backend.signUp($0) }
      try expect(Set(made.map(\.localId)).count == people.count, "accounts that are made at once share identifiers")
      let sessions = try await atOnce(people) { try await backend.signIn($0) }
      let accounts = try await atOnce(made) { try await backend.account($0.idToken) }
      for (index, person) in people.enumerated() {
        for email in [made[index].email, sessions[index].email, accounts[index].email] {
          try expect(email, isExactly: person.email, "the address in one of many answers")
        }
        for uid in [sessions[index].localId, accounts[index].localId] {
          try expect(uid, isExactly: made[index].localId, "the account in one of many answers")
        }
      }
    },
    Check(name: "of many sign-ups for one address exactly one is made") { backend in
      let ada = Person()
      let call = SignUp(email: ada.email, password: ada.password)
      let outcomes = try await atOnce(Array(repeating: call, count: 8)) { await outcome(of: $0, by: backend) }
      var made: [String] = []
      for outcome in outcomes {
        switch outcome {
        case .success(let response): made.append(response.localId)
        case .failure(let error):
          try expect(error.code == .emailAlreadyInUse, "one of many sign-ups for an address was refused so: \(error)")
        }
      }
      try expect(made.count == 1, "of 8 sign-ups for one address one should be made, and \(made.count) were")
      try expect(try await backend.signIn(ada).localId, isExactly: made.first, "the account that was made")
    },
    Check(name: "a call that is cancelled happened, or did not") { backend in
      for number in 0..<8 {
        let ada = Person()
        let call = SignUp(email: ada.email, password: ada.password)
        let task = Task {
          // The first one is cancelled before it is made.
          while number == 0, !Task.isCancelled { await Task.yield() }
          return await outcome(of: call, by: backend)
        }
        for _ in 0..<number { await Task.yield() }
        task.cancel()
        let first = await task.value
        if case .failure(let error) = first {
          try expect(
            error.code == .cancelled, "a cancelled call should be answered or end as cancelled; it was: \(error)")
        }
        // The account is made now, unless it was made before. In either case its owner can sign in to it.
        let second = await outcome(of: call, by: backend)
        let session = await outcome(of: SignInWithPassword(email: ada.email, password: ada.password), by: backend)
        let uid = try? first.get().localId
        let isMadeOnce = uid == nil || (try? second.get()) == nil
        guard case .success(let account) = session, isMadeOnce, uid ?? account.localId == account.localId else {
          throw Violation(
            description:
              "a sign-up that was cancelled came to \(first), another one to \(second), a sign-in to \(session)")
        }
      }
    },
    Check(name: "a call that it does not know is refused") { backend in
      try await expectRefusal(of: StrangeCall(), by: backend, "a call that is not of the protocol")
    },
    Check(name: "no refusal tells a password or a token") { backend in
      let (ada, stranger) = (Person(), Person())
      let made = try await backend.signUp(ada)
      // Each refusal is searched for every secret of its call.
      let taken = SignUp(email: ada.email, password: stranger.password)
      try await expectRefusal(of: taken, by: backend, "a sign-up with an address that is taken")
      let wrong = SignInWithPassword(email: ada.email, password: stranger.password)
      try await expectRefusal(of: wrong, by: backend, "a wrong password")
      let unknown = SignInWithPassword(email: stranger.email, password: stranger.password)
      try await expectRefusal(of: unknown, by: backend, "an unknown address")
      _ = try await backend.answer(Delete(idToken: made.idToken))
      try await expectRefusal(of: Lookup(idToken: made.idToken), by: backend, "an ID token of a deleted account")
      let refresh = ExchangeRefreshToken(refreshToken: made.refreshToken)
      try await expectRefusal(of: refresh, by: backend, "a refresh token of a deleted account")
      for token in [somethingSecret(), made.refreshToken] {
        try await expectRefusal(of: Lookup(idToken: token), by: backend, "an unknown ID token")
      }
      for token in [somethingSecret(), made.idToken] {
        let refresh = ExchangeRefreshToken(refreshToken: token)
        try await expectRefusal(of: refresh, by: backend, "an unknown refresh token")
      }
    },
  ]

  /// Runs a body on all inputs at once, and returns the results in order.
  private static func atOnce<Input: Sendable, Output: Sendable>(
    _ inputs: [Input], _ body: @escaping @Sendable (Input) async throws -> Output
  ) async throws -> [Output] {
    let tasks = inputs.map { input in Task { try await body(input) } }
    var outputs: [Output] = []
    for task in tasks { outputs.append(try await task.value) }
    return outputs
  }

  /// A call that no version of the protocol has.
  private struct StrangeCall: Call {
    static let endpoint = "gatehouse.invalid/v1/nothing"
    struct Response: Codable, Sendable {}
  }
}
