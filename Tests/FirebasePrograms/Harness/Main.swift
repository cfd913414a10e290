import Foundation
import GatehouseFirebase
import Glibc
import HangGuard

/// Runs every program, one after another, in a folder that it is told: `FirebasePrograms HOME`.
@main
struct Main {
  @MainActor
  static func main() async {
    endIfItHangs()
    FirebaseApp.configure(options: Project.options(home: CommandLine.arguments[1]))
    var failures = 0
    for program in all {
      try? await Auth.auth().ready()
      try? Auth.auth().signOut()
      let fault = await program.run()
      report(fault.map { "FAILED: \(program.name) \($0)" } ?? "ok: \(program.name)")
      if fault != nil { failures += 1 }
    }
    exit(failures == 0 ? 0 : 1)
  }

  /// Written at once, so that the last line names the program before one that hangs.
  private static func report(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  static let all: [FirebaseProgram] = [
    startOfAnApp, signUpForm, signInForm, signOutButton, errorsByNumber, errorsByCode, callsWithoutCompletion,
    profilePage, providerList, profileChange, changeOfAddress, changeOfPassword, deletionOfAnAccount, linking,
    verificationMessage, passwordReset, actionCodes, emailLink, signInMethods,
    phoneSignIn, guestUpgrade, customToken, googleSignIn,
    customClaims, tokenForABackend, tokenResult, tokenListener,
    smsFactor, authenticatorApp,
    viewModel, ownUserType, sessionStore, continuations, notification, notificationOnMain,
    secondaryApp, deletedApp, userSequence,
    severalUsers,
  ]
}
