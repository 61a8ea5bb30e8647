// What the made interfaces must refuse for macOS 14, and what they must accept. A line that is too new says so at its
// end; no other line may be refused.
import Crypto
import CryptoExtras
import Darwin
import Foundation
import Observation
import RegexBuilder
import Synchronization

func standardLibrary(_ bytes: [UInt8]) {
    _ = String(validating: bytes, as: UTF8.self)  // too new
    if #available(macOS 15, iOS 18, *) {
        _ = String(validating: bytes, as: UTF8.self)
    }
    _ = bytes.span  // too new
    _ = Duration.seconds(1).formatted()
}

func concurrency() async throws {
    _ = Task.immediate {}  // too new
    try await Task.sleep(for: .seconds(1))
}

func synchronization() {
    _ = Mutex(0)  // too new
}

func foundation(_ calendar: Calendar, _ components: DateComponents) {
    _ = calendar.dates(byMatching: components, startingAt: Date())  // too new
    _ = Date().formatted(.iso8601)
    _ = URL(filePath: "/")
    _ = Decimal(1) / 3
    _ = NSRange(location: 0, length: 1)
    _ = "a" as NSString
}

func networking(_ request: URLRequest) async throws -> URLResponse {
    try await URLSession.shared.data(for: request).1
}

#if canImport(Glibc) || canImport(FoundationNetworking)
    #error("Apple's platforms have neither Glibc nor FoundationNetworking")
#endif

func crypto(_ bytes: Data) throws -> Data {
    _ = try P256.KeyAgreement.PublicKey(compressedRepresentation: bytes)
    _ = try _RSA.Encryption.PublicKey(derRepresentation: bytes)
    return Data(SHA256.hash(data: bytes))
}

func files() -> Int32 {
    fcntl(open("/", O_RDONLY), F_FULLFSYNC)
}
