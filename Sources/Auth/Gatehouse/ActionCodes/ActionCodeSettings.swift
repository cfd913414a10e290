public import Foundation
import GatehouseQueues
import IdentityToolkit

/// Where the link of a message leads. Set the properties, then hand it to the call that sends the message: what is set
/// later does not count for that message. Usable from any thread.
public final class ActionCodeSettings: Sendable {
  private struct Values: Sendable {
    var url: URL?
    var handleCodeInApp = false
    var iOSBundleID: String?
    var androidPackageName: String?
    var androidMinimumVersion: String?
    var androidInstallIfNotAvailable = false
    var linkDomain: String?
  }

  private let values = Lock(Values())

  /// Makes settings with nothing set.
  public init() {}

  /// Where the user is to arrive in the end. Its domain must be one that the project allows.
  public var url: URL? {
    get { values.withLock { $0.url } }
    set { values.withLock { $0.url = newValue } }
  }

  /// Whether the link opens in an app, and not on a web page of the project. A sign-in link must.
  public var handleCodeInApp: Bool {
    get { values.withLock { $0.handleCodeInApp } }
    set { values.withLock { $0.handleCodeInApp = newValue } }
  }

  /// The iOS app that opens the link. Nothing here reads it: set it for the recipient's device.
  public var iOSBundleID: String? {
    get { values.withLock { $0.iOSBundleID } }
    set { values.withLock { $0.iOSBundleID = newValue } }
  }

  /// The domain of the link, where the project has several.
  public var linkDomain: String? {
    get { values.withLock { $0.linkDomain } }
    set { values.withLock { $0.linkDomain = newValue } }
  }

  /// The Android app that opens the link.
  public var androidPackageName: String? { values.withLock { $0.androidPackageName } }
  /// The oldest version of the Android app that can open the link.
  public var androidMinimumVersion: String? { values.withLock { $0.androidMinimumVersion } }
  /// Whether the Android app is to be installed where it is not.
  public var androidInstallIfNotAvailable: Bool { values.withLock { $0.androidInstallIfNotAvailable } }

  /// Names the Android app that opens the link.
  public func setAndroidPackageName(
    _ androidPackageName: String, installIfNotAvailable: Bool, minimumVersion: String?
  ) {
    values.withLock { values in
      values.androidPackageName = androidPackageName
      values.androidInstallIfNotAvailable = installIfNotAvailable
      values.androidMinimumVersion = minimumVersion
    }
  }

  /// The call that sends a message with these settings.
  func call(_ type: ActionCodeType) -> SendOobCode {
    let values = values.withLock { $0 }
    var call = SendOobCode(type)
    call.continueUrl = values.url?.absoluteString
    call.canHandleCodeInApp = values.handleCodeInApp
    call.iOSBundleId = values.iOSBundleID
    call.linkDomain = values.linkDomain
    call.androidPackageName = values.androidPackageName
    call.androidMinimumVersion = values.androidMinimumVersion
    call.androidInstallApp = values.androidPackageName == nil ? nil : values.androidInstallIfNotAvailable
    return call
  }
}

extension SendOobCode {
  /// The call for a message to an address, or about an account.
  init(_ type: ActionCodeType, to email: String? = nil, _ settings: ActionCodeSettings?) {
    self = settings?.call(type) ?? SendOobCode(type)
    self.email = email
  }
}
