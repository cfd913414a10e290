import GatehouseBase
import GatehouseSystem
import NIOCore

extension AuthError {
  /// Returns the reason why a server cannot listen, and what to do, because the libraries' own messages do not say it
  /// clearly.
  static func cannotListen(at address: ServerAddress, _ error: any Error) -> AuthError {
    AuthError(.networkError, "\(address) cannot be listened at: \(reason(error, address))")
  }

  private static func reason(_ error: any Error, _ address: ServerAddress) -> String {
    switch error {
    case let error as SystemError: error.number.map { reason($0, address) } ?? "\(error)"
    case let error as IOError: reason(ErrorNumber(rawValue: error.errnoCode), address)
    case is SocketAddressError.UnknownHost: "no address is known for this host; name it by its address, or 127.0.0.1"
    default: "\(type(of: error))"
    }
  }

  private static func reason(_ number: ErrorNumber, _ address: ServerAddress) -> String {
    guard case .host(_, let port) = address else {
      return switch number {
      case .addressInUse: "address in use: another server answers at this socket; end it, or choose another path"
      case .notASocket: "what is at this path is no socket; move it away, or choose another path"
      case .noSuchFile, .notAFolder: "the folder of the socket does not exist; make it, or choose another path"
      case .accessDenied, .notPermitted, .readOnly:
        "this user may make no file in its folder (\(number.words)); choose another path, or change its permissions"
      case .nameTooLong: "the path is too long for a socket; choose one of less than 80 bytes"
      default: number.words
      }
    }
    return switch number {
    case .addressInUse: "address in use: another program listens there; end it, or choose another port"
    case .addressNotAvailable: "the address is none of this machine's; choose one that is, or 0.0.0.0 or :: for all"
    case .accessDenied, .notPermitted:
      port < 1024
        ? "this user may not listen at ports below 1024; choose another port, or allow it to (CAP_NET_BIND_SERVICE)"
        : "the system does not allow it (\(number.words))"
    default: number.words
    }
  }
}
