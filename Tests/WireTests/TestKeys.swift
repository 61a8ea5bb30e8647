import Foundation

@testable import Wire

/// Keys generated once a run, because RSA generation is slow.
enum TestKeys {
    static let rsa = Result { try PrivateKey.generateRSA() }
    static let otherRSA = Result { try PrivateKey.generateRSA() }
    static let p256 = Result { try PrivateKey.generateP256() }
    static let otherP256 = Result { try PrivateKey.generateP256() }

    static func rsaPublicKey() throws -> RSAPublicKey {
        guard case .rsa(let key) = try rsa.get().publicKey else { throw TestFailure("not RSA") }
        return key
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Returns the code of the `WireError` that the body throws, `other: …` for another error, and `nil` for none.
func code(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch let error as WireError {
        return error.code
    } catch {
        return "other: \(error)"
    }
}

extension Data {
    init(hex: String) {
        let digits = Array(hex.filter { !$0.isWhitespace })
        self.init(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) })
    }
}
