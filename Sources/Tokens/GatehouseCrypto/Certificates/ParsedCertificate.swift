import CGatehouseOpenSSL
import GatehouseBase

/// An OpenSSL `X509`, for one call on one thread: reading it fills its caches.
struct ParsedCertificate: ~Copyable {
  private let owned: Owned

  /// Parses one certificate. The bytes must contain nothing else.
  init(_ der: [UInt8]) throws(AuthError) {
    guard der.count <= X509Certificate.maximumLength else {
      throw AuthError(.certificateInvalid, "a certificate has at most \(X509Certificate.maximumLength) bytes")
    }
    // `unsafe`: the buffer has the length that is passed, and OpenSSL copies what it keeps.
    let read = unsafe der.withUnsafeBufferPointer { buffer -> (OpaquePointer?, Int) in
      var next = buffer.baseAddress
      let certificate = unsafe d2i_X509(nil, &next, buffer.count)
      return unsafe (certificate, next.map { unsafe $0 - (buffer.baseAddress ?? $0) } ?? 0)
    }
    guard let pointer = unsafe read.0 else {
      throw OpenSSL.failure("reading a certificate", code: .certificateInvalid)
    }
    let owned = try Owned(pointer, "reading a certificate") { unsafe X509_free($0) }
    guard unsafe read.1 == der.count else {
      throw AuthError(.certificateInvalid, "unexpected data after the certificate")
    }
    guard try Self.bytes(of: owned) == der else {
      throw AuthError(.certificateInvalid, "the certificate is not valid DER")
    }
    self.owned = owned
  }

  /// Valid while this value lives.
  var raw: OpaquePointer { unsafe owned.raw }

  func publicKey() throws(AuthError) -> PKey { try PKey(unsafe X509_get_pubkey(raw), "reading a certificate's key") }

  func notBefore() throws(AuthError) -> Double { try Self.seconds(unsafe X509_get0_notBefore(raw)) }
  func notAfter() throws(AuthError) -> Double { try Self.seconds(unsafe X509_get0_notAfter(raw)) }

  func subject() throws(AuthError) -> String {
    // `unsafe`: C; the text is copied out before its owner frees it.
    let writer = try Owned(unsafe BIO_new(BIO_s_mem()), "reading a certificate") { unsafe BIO_free_all($0) }
    let name = unsafe X509_get_subject_name(raw)
    guard unsafe X509_NAME_print_ex(writer.raw, name, 0, CGATEHOUSE_NAME_FOR_PEOPLE) >= 0 else {
      throw OpenSSL.failure("reading a certificate's subject", code: .certificateInvalid)
    }
    var bytes = Array(repeating: UInt8(0), count: Int(unsafe BIO_ctrl_pending(writer.raw)))
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe BIO_read(writer.raw, $0.baseAddress, Int32($0.count)) }
    return String(decoding: bytes.prefix(max(Int(count), 0)), as: UTF8.self)
  }

  /// The DNS names among the subject alternative names.
  func dnsNames() throws(AuthError) -> [String] {
    var found: Int32 = 0
    // `unsafe`: C; the list is freed by its owner, and each text has the length that is read with it.
    guard let list = unsafe X509_get_ext_d2i(raw, NID_subject_alt_name, &found, nil) else {
      OpenSSL.drain()
      guard found == -1 else {
        throw AuthError(.certificateInvalid, "the certificate's subject alternative names cannot be parsed")
      }
      return []
    }
    let names = try Owned(OpaquePointer(list), "reading a certificate") { unsafe GENERAL_NAMES_free($0) }
    var texts: [String] = []
    let count = unsafe OPENSSL_sk_num(names.raw)
    for index in 0..<count {
      var type: Int32 = 0
      let name = unsafe OPENSSL_sk_value(names.raw, index)?.assumingMemoryBound(to: GENERAL_NAME.self)
      let value = unsafe GENERAL_NAME_get0_value(name, &type)
      guard type == GEN_DNS, let string = unsafe value?.assumingMemoryBound(to: ASN1_STRING.self) else { continue }
      let bytes = unsafe UnsafeBufferPointer(
        start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
      guard !bytes.isEmpty, unsafe bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw AuthError(.certificateInvalid, "a DNS name of the certificate is empty or not printable ASCII")
      }
      texts.append(unsafe String(decoding: bytes, as: UTF8.self))
    }
    return texts
  }

  /// The certificate in DER.
  static func bytes(of certificate: borrowing Owned) throws(AuthError) -> [UInt8] {
    // `unsafe`: C; the first call only returns the length, and the second writes that many bytes.
    let count = unsafe i2d_X509(certificate.raw, nil)
    guard count > 0 else { throw OpenSSL.failure("reading a certificate", code: .certificateInvalid) }
    var bytes = Array(repeating: UInt8(0), count: Int(count))
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var next = buffer.baseAddress
      _ = unsafe i2d_X509(certificate.raw, &next)
    }
    return bytes
  }

  /// A time in seconds since 1970.
  @safe private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) throws(AuthError) -> Double {
    // `unsafe`: C; `time` belongs to the certificate, and `epoch` is freed at the end.
    let epoch = unsafe ASN1_TIME_set(nil, 0)
    defer { unsafe ASN1_STRING_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else {
      throw OpenSSL.failure("reading a certificate's time", code: .certificateInvalid)
    }
    return Double(days) * 86_400 + Double(seconds)
  }
}
