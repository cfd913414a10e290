import Gatehouse
import GatehouseBase
import GatehouseQueues
import GatehouseSchedules
import GatehouseTesting

/// A user proves once more who they are while tokens are refreshed, and signs out in half of the schedules. The two do
/// not meet at the provider: a refresh that was sent before would bring tokens of the older sign-in.
enum ReauthenticationAgainstRefresh {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, user) = try await Scene.ofAda(context)
    let signsOut = await context.coin()
    scene.provider.signInsAreReauthentications = true
    let again = beside { () throws(AuthError) in
      try await typed {
        try await user.reauthenticate(
          with: EmailAuthProvider.credential(withEmail: Scene.ada, password: Scene.password))
      }
    }
    let refresh = beside { () throws(AuthError) in try await typed { try await user.getIDToken(forcingRefresh: true) } }
    if signsOut {
      for _ in 0..<3 { await context.yield() }
      try scene.auth.signOut()
    }
    let result = await again.value
    _ = await refresh.value
    await context.settle()
    if signsOut {
      context.check(scene.auth.state == .signedOut(nil), "after a sign-out the state is \(scene.auth.state)")
    } else {
      context.check((try? result.get().user) == user, "the user is another one: \(result)")
      context.check(scene.auth.currentUser == user, "a reauthentication ended the session: \(scene.auth.state)")
    }
    try await scene.checkStore()
  }
}

/// An anonymous user gets an address, and signs out meanwhile: nothing of the link is left on this machine.
enum LinkAgainstSignOut {
  static func run(_ context: ScheduleContext) async throws {
    let scene = Scene(context)
    let guest = try await scene.auth.signInAnonymously().user
    let isSignedOut = Lock(false)
    let link = beside { () throws(AuthError) in
      let credential = EmailAuthProvider.credential(withEmail: Scene.ada, password: Scene.password)
      _ = try await typed { try await guest.link(with: credential) }
      context.check(
        scene.provider.accounts.account(guest.uid)?.email == Scene.ada, "a link was told to be made, and is not")
    }
    let signOut = beside { () throws(AuthError) in
      for _ in 0..<4 { await context.yield() }
      try typed { try scene.auth.signOut() }
      isSignedOut.withLock { $0 = true }
    }
    try await signOut.value.get()
    if let error = await link.value.failure {
      context.check(error.code == .nullUser, "the link ended with \(error), not because of the sign-out")
    }
    await context.settle()
    context.check(scene.auth.state == .signedOut(nil), "after a sign-out the state is \(scene.auth.state)")
    context.check(guest.refreshToken == nil, "a session that has ended lends its refresh token")
    try await scene.checkStore()
  }
}

/// A change of the address, which revokes the session's refresh token, while tokens are refreshed.
enum AddressAgainstRefresh {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, user) = try await Scene.ofAda(context)
    let change = beside { () throws(AuthError) in
      try await typed { try await user.updateEmail(to: "countess@example.com") }
    }
    let refresh = beside { () throws(AuthError) in try await typed { try await user.getIDToken(forcingRefresh: true) } }
    try await change.value.get()
    _ = try await refresh.value.get()
    await context.settle()
    context.check(scene.auth.currentUser == user, "a change of the address ended the session: \(scene.auth.state)")
    context.check(user.email == "countess@example.com", "the address is \(user.email ?? "none")")
    _ = try await user.getIDToken(forcingRefresh: true)
    try await scene.checkStore()
  }
}

/// Bob ends a sign-in with his second factor while Ada is signed in, and she signs in once more. Of the two the one
/// that was started last wins, and each session has its own user's tokens.
enum SecondFactorAgainstUserSwitch {
  static func run(_ context: ScheduleContext) async throws {
    let (scene, ada) = try await Scene.ofAda(context)
    scene.provider.accounts.requireSecondFactor(of: Scene.bob)
    guard let error = await outcome(of: { () throws(AuthError) in try await scene.signIn(Scene.bob) }).failure,
      let resolver = scene.auth.multiFactorResolver(for: error)
    else { return context.check(false, "Bob's sign-in asked for no second factor") }
    context.check(scene.auth.currentUser == ada, "a sign-in that waits ended Ada's session: \(scene.auth.state)")
    let hint = resolver.hints.first?.uid ?? ""
    let bob = beside { () throws(AuthError) in
      try await typed {
        try await resolver.resolveSignIn(
          with: TOTPMultiFactorGenerator.assertionForSignIn(withEnrollmentID: hint, oneTimePassword: "123456"))
      }
    }
    let again = await context.coin()
    let other = beside { () throws(AuthError) in again ? try await scene.signIn(Scene.ada) : ada }
    let (bobs, adas) = (await bob.value, await other.value)
    await context.settle()
    switch (bobs, adas) {
    case (.success(let result), _) where !again || adas.failure != nil:
      context.check(scene.auth.currentUser == result.user, "Bob signed in, and the state is \(scene.auth.state)")
      context.check(result.user.uid != ada.uid, "Bob's session is Ada's")
    case (.failure(let error), .success(let ada)):
      context.check(again && error.code == .superseded, "the second factor ended with \(error)")
      context.check(scene.auth.currentUser == ada, "Ada signed in, and the state is \(scene.auth.state)")
    default:
      // One after the other, both were signed in.
      context.check(scene.auth.currentUser != nil, "two sign-ins left \(scene.auth.state)")
    }
    try await scene.checkStore()
  }
}
