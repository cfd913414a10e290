import GatehouseTesting
import IdentityToolkit

/// What a person, an administrator or the clock does in a step.
enum Action: Int, CaseIterable {
  case rest
  // Signing in
  case signUp, signIn, identify, phone, customToken, refresh
  // Changing
  case linkPassword, changePassword, changeAddress, unlink, linkIdentity, linkPhone, revoke, delete
  // Codes
  case askReset, askLink, askVerification, askChange, useCode, linkByCode, proveByReset, proveByLink, verify, move
  // Second factors
  case beginApp, finishApp, enrollApp, enrollPhone, answerFactor, makeRecoveryCodes, withdraw
  case administer, create, bringIn
  case stealSession, readOldMail
  case wait

  /// How often it is picked, compared to others.
  var weight: Int {
    switch self {
    case .rest, .revoke, .delete, .create, .bringIn, .refresh: 1
    case .signUp, .signIn, .useCode, .changeAddress, .linkPassword, .answerFactor, .verify, .enrollApp, .enrollPhone,
      .withdraw,
      .beginApp, .finishApp, .wait:
      4
    default: 2
    }
  }

  /// Each action as often as its weight says.
  static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
}

extension Run {
  func perform(_ picks: Picks) async throws {
    let person = picks.person
    switch picks.action {
    case .rest: break
    case .signUp: try await signUp(person, picks)
    case .signIn: try await signIn(person, picks)
    case .identify: try await identify(person, linkingTo: nil, picks)
    case .phone: try await phone(person, linkingTo: nil, picks)
    case .customToken: try await customToken(person, picks)
    case .refresh: try await refresh(person, picks)
    case .linkPassword: try await linkPassword(person, picks)
    case .changePassword: try await changePassword(person, picks)
    case .changeAddress: try await changeAddress(person, picks)
    case .unlink: try await unlink(person, picks)
    case .linkIdentity: try await identify(person, linkingTo: holding(.session, of: person, picks[5]), picks)
    case .linkPhone: try await phone(person, linkingTo: holding(.session, of: person, picks[5]), picks)
    case .revoke: try await revoke(person, picks)
    case .delete: try await delete(person, picks)
    case .askReset: try await ask(.passwordReset, address(picks[0]), tenant(picks[1]))
    case .askLink: try await ask(.emailSignIn, address(picks[0]), tenant(picks[1]))
    case .askVerification: try await askVerification(person, picks)
    case .askChange: try await askChange(person, picks)
    case .useCode: try await useCode(person, picks)
    case .linkByCode: try await linkByCode(person, picks)
    case .proveByReset: try await prove(.passwordReset, person, picks)
    case .proveByLink: try await prove(.emailSignIn, person, picks)
    case .verify: try await verify(person, picks)
    case .move: try await move(person, picks)
    case .beginApp: try await beginApp(person, picks)
    case .finishApp: try await finishApp(person, picks)
    case .enrollApp:
      try await beginApp(person, picks)
      try await finishApp(person, picks)
    case .enrollPhone: try await enrollPhone(person, picks)
    case .answerFactor: try await answerFactor(person, picks)
    case .makeRecoveryCodes: try await makeRecoveryCodes(person, picks)
    case .withdraw: try await withdraw(person, picks)
    case .administer: try await administer(person, picks)
    case .create: try await create(person, picks)
    case .bringIn: try await bringIn(person, picks)
    case .stealSession: stealSession(person, picks)
    case .readOldMail: try await readOldMail(person, picks)
    case .wait: wait(picks)
    }
  }

  private func wait(_ picks: Picks) {
    let seconds = [200.0, 301, 1, 30, 3601, 86_400, 259_200][picks[0] % 7]
    world.clock.advance(by: seconds)
    note("\(Int(seconds)) s pass")
  }
}
