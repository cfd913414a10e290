import GatehouseBase
import GatehouseLocal
import GatehouseQueues
import IdentityToolkit

/// Uses a provider until it is killed: several tasks, each with accounts of its own, and an administrator.
struct Worker: Sendable {
  private let backend: LocalBackend
  private let outbox: CodeBox
  private let round: Int
  private let seed: UInt64

  private static let tasks = 4

  init(home: String, round: Int, seed: UInt64) {
    let outbox = CodeBox()
    self.outbox = outbox
    backend = .crashing(home, delivery: outbox)
    (self.round, self.seed) = (round, seed)
  }

  func run() async {
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<Self.tasks {
        group.addTask { await use(as: "r\(round)t\(task)", SeededNumbers(seed &+ UInt64(task))) }
      }
      group.addTask { await administer(SeededNumbers(seed &+ 99)) }
    }
  }

  /// One account after the other, each through some of its life.
  private func use(as name: String, _ numbers: SeededNumbers) async {
    var numbers = numbers
    for number in 0... {
      let account = "\(name)n\(number)"
      var password = "password 0"
      var token = ""
      var idToken = ""
      guard
        await step(
          "signUp", account, ["password": password],
          {
            let answer = try await backend.answer(
              SignUp(email: "\(account)@example.com", password: Secret(password)))
            (token, idToken) = (answer.refreshToken.revealed, answer.idToken.revealed)
            return ["token": token]
          })
      else { return }
      for turn in 1...Int.random(in: 2...8, using: &numbers) {
        let isGone: Bool
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0..<4:
          isGone = await !step("refresh", account, ["token": token]) {
            let answer = try await backend.answer(ExchangeRefreshToken(refreshToken: Secret(token)))
            (token, idToken) = (answer.refreshToken.revealed, answer.idToken.revealed)
            return ["next": token]
          }
        case 4..<6:
          isGone = await !step("rename", account, ["name": "name \(turn)"]) {
            var update = Update(idToken: Secret(idToken))
            update.displayName = "name \(turn)"
            _ = try await backend.answer(update)
            return [:]
          }
        case 6:
          let next = "password \(turn)"
          isGone = await !step("changePassword", account, ["password": next]) {
            var update = Update(idToken: Secret(idToken))
            update.password = Secret(next)
            let answer = try await backend.answer(update)
            (token, idToken) = (answer.refreshToken?.revealed ?? "", answer.idToken?.revealed ?? "")
            return ["token": token]
          }
          password = next
        case 7..<9:
          isGone = await !reset(account, to: "reset \(turn)", &token, &idToken)
          password = "reset \(turn)"
        default:
          isGone = true
          _ = await step("delete", account, [:]) {
            _ = try await backend.answer(Delete(idToken: Secret(idToken)))
            return [:]
          }
        }
        if isGone { break }
      }
    }
  }

  /// A password reset by a message, and a sign-in after it.
  private func reset(_ account: String, to password: String, _ token: inout String, _ idToken: inout String) async
    -> Bool
  {
    let email = "\(account)@example.com"
    var send = SendOobCode(.passwordReset)
    send.email = email
    guard (try? await backend.answer(send)) != nil, let code = outbox.take(email) else { return false }
    guard
      await step(
        "reset", account, ["password": password, "code": code],
        {
          _ = try await backend.answer(ResetPassword(oobCode: Secret(code), newPassword: Secret(password)))
          return [:]
        })
    else { return false }
    var tokens = ("", "")
    let isIn = await step("signIn", account, [:]) {
      let answer = try await backend.answer(SignInWithPassword(email: email, password: Secret(password)))
      tokens = (answer.refreshToken.revealed, answer.idToken.revealed)
      return ["token": tokens.0]
    }
    (token, idToken) = tokens
    return isIn
  }

  private func administer(_ numbers: SeededNumbers) async {
    var numbers = numbers
    for number in 0... {
      let account = "r\(round)a\(number)"
      var draft = AccountDraft()
      draft.email = "\(account)@example.com"
      draft.password = Secret("password 0")
      let made = draft
      guard
        await step(
          "create", account, ["password": "password 0"],
          {
            _ = try await backend.createAccount(made)
            return [:]
          })
      else { return }
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: _ = try? await backend.rotateKeys(atOnce: true)
      case 1: _ = try? await backend.pruneOnce()
      default: break
      }
    }
  }

  private func step(
    _ operation: String, _ account: String, _ values: [String: String], _ body: () async throws -> [String: String]
  ) async -> Bool {
    Journal.write(.init(kind: .begins, operation: operation, account: account, values: values))
    do {
      let answer = try await body()
      Journal.write(
        .init(kind: .ends, operation: operation, account: account, values: values.merging(answer) { $1 }))
      return true
    } catch {
      Journal.write(.init(kind: .refused, operation: operation, account: account, values: ["error": "\(error)"]))
      return false
    }
  }
}

/// Keeps the codes of messages for the task that asked for them.
final class CodeBox: MessageDelivery {
  private let codes = Lock<[String: String]>([:])

  func deliver(_ message: OutgoingMessage) async throws(AuthError) {
    codes.withLock { $0[message.recipient] = message.code.revealed }
  }

  func take(_ recipient: String) -> String? { codes.withLock { $0.removeValue(forKey: recipient) } }
}

extension LocalBackend {
  /// With cheap hashes and rotation, and without limits on attempts.
  static func crashing(_ home: String, delivery: (any MessageDelivery)? = nil) -> LocalBackend {
    var options = LocalOptions()
    options.signing = .es256
    options.passwordCost = .uncheckedForTests
    options.enumerationProtection = false
    options.rotatesRefreshTokens = true
    options.throttle.attempts = .max
    options.messageThrottle.attempts = .max
    options.delivery = delivery
    return LocalBackend(directory: home, options: options)
  }
}
