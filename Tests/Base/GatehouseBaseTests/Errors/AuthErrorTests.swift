import Foundation
import GatehouseBase
import Testing

struct AuthErrorTests {
  @Test func `an error prints its message and its code's name`() {
    #expect("\(AuthError(.userNotFound, "no account"))" == "no account [userNotFound]")
    #expect("\(AuthError(.init(number: 20_000), "odd"))" == "odd [20000]")
  }

  @Test func `an error that is shown as any other one says its message`() {
    let error: any Error = AuthError(.userNotFound, "there is no such account")
    #expect(error.localizedDescription == "there is no such account")
  }

  @Test func `errors are equal when every part is`() {
    let error = AuthError(.tooManyRequests, "wait", email: "a@b", retryAfter: .seconds(3), serverCode: "TOO_MANY")
    #expect(error == AuthError(error.code, "wait", email: "a@b", retryAfter: .seconds(3), serverCode: "TOO_MANY"))
    let others = [
      AuthError(.quotaExceeded, "wait", email: "a@b", retryAfter: .seconds(3), serverCode: "TOO_MANY"),
      AuthError(error.code, "go", email: "a@b", retryAfter: .seconds(3), serverCode: "TOO_MANY"),
      AuthError(error.code, "wait", retryAfter: .seconds(3), serverCode: "TOO_MANY"),
      AuthError(error.code, "wait", email: "a@b", serverCode: "TOO_MANY"),
      AuthError(error.code, "wait", email: "a@b", retryAfter: .seconds(3)),
    ]
    #expect(!others.contains(error))
    #expect(Set(others + [error]).count == 6)
  }

  @Test func `a refusal is caught by its kind`() {
    func refuse() throws(AuthError) { throw AuthError(.userNotFound, "no account") }
    do throws(AuthError) {
      try refuse()
      Issue.record("nothing was thrown")
    } catch  where error.code == .userNotFound {
    } catch {
      Issue.record("\(error)")
    }
  }
}
