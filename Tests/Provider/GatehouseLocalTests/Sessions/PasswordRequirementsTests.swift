import Gatehouse
import GatehouseBase
import GatehouseLocal
import IdentityToolkit
import Testing

struct PasswordRequirementsTests {
  private static func scene() -> Scene {
    Scene {
      $0.passwordRequirements.minimumLength = 8
      $0.passwordRequirements.maximumLength = 12
      $0.passwordRequirements.needsLowercase = true
      $0.passwordRequirements.needsUppercase = true
      $0.passwordRequirements.needsDigit = true
      $0.passwordRequirements.needsSpecialCharacter = true
    }
  }

  @Test(arguments: ["ABCDEF1!", "abcdef1!", "Abcdefg!", "Abcdefg1", "Abcdefghijk1!"])
  func `a password that breaks one rule is refused, and the client says which`(password: String) async throws {
    let scene = Self.scene()
    await expectRefusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") { try await scene.signUp("ada@example.com", password) }
    let auth = Auth(.init(backend: scene.backend, clocks: scene.clock))
    let validation = try await auth.validatePassword(password)
    let held = [
      validation.meetsMinimumLength, validation.meetsMaximumLength, validation.containsLowercase,
      validation.containsUppercase, validation.containsDigit, validation.containsSpecialCharacter,
    ]
    #expect(!validation.isValid && held.count { !$0 } == 1)
  }

  @Test func `one that is too short is weak, and one that keeps all rules is taken`() async throws {
    let scene = Self.scene()
    await expectRefusal("WEAK_PASSWORD") { try await scene.signUp("ada@example.com", "Abc1!") }
    let user = try await scene.signUp("ada@example.com", "Abcdef1!")
    await expectRefusal("PASSWORD_DOES_NOT_MEET_REQUIREMENTS") {
      try await scene.update(user.idToken) { $0.password = Secret("abcdefgh") }
    }
    // A password of the time before the rules still signs in.
    _ = try await scene.another().answer(SignInWithPassword(email: "ada@example.com", password: Secret("Abcdef1!")))
    let auth = Auth(.init(backend: scene.backend, clocks: scene.clock))
    let validation = try await auth.validatePassword("Abcdef1!")
    #expect(validation.isValid && validation.policy.minimumLength == 8 && validation.policy.isEnforced)
  }

  @Test func `rules that no password can keep are refused at the opening`() async throws {
    let scene = Scene { $0.passwordRequirements.maximumLength = 5 }
    await expectRefusal(.invalidArgument) { try await scene.backend.open() }
  }
}
