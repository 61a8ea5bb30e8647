import Foundation
import TestSupport
import Testing

@testable import Wire

@Suite struct SharedAccessSignatureTests {
    /// The URL of the vector of iomt-fhir-client.
    private let url = URL(string: "https://test.com/test")
    private let now = Date(timeIntervalSince1970: 1_567_000_000)
    private let vector =
        "SharedAccessSignature sr=test.com%2ftest%2f&sig=5YJxMk3FHCFoymb4CCeRv9AMfrFen3XV0353eiIyw5I%3D"
        + "&se=1567003600&skn=keyName"

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch { return (error as? WireError)?.code ?? "\(error)" }
    }

    @Test func theVectorOfTheClientIsSignedAndRead() throws {
        let url = try #require(url)
        let signed = SharedAccessSignature(reaching: url, keyName: "keyName", key: "sharedAccessKey", now: now)
        #expect(signed.header == vector)
        let read = try SharedAccessSignature(reading: vector)
        #expect(read == signed)
        #expect(read.isSigned(with: "sharedAccessKey") && !read.isSigned(with: "sharedAccesskey"))
        #expect(read.isCurrent(at: now) && !read.isCurrent(at: now.addingTimeInterval(3_600)))
        #expect(read.reaches(url))
    }

    /// Other clients encode with capitals, name a scheme, and may not encode Base64. The signature covers the text as
    /// it was sent.
    @Test func signaturesOfOtherClientsAreRead() throws {
        for resource in [
            "sb%3A%2F%2FTest.com%2Ftest", "https%3a%2f%2ftest.com%2ftest%2f", "test.com/test",
            "test.com%2ftest%2fmessages",
        ] {
            let mac = try Self.mac(resource, expiry: 1_567_003_600, key: "k+/=")
            for sig in [mac, mac.replacingOccurrences(of: "=", with: "%3d").replacingOccurrences(of: "+", with: "%2B")]
            {
                let read = try SharedAccessSignature(
                    reading: "SharedAccessSignature sig=\(sig)&se=1567003600&skn=a%20b&sr=\(resource)")
                #expect(read.isSigned(with: "k+/=") && read.keyName == "a b", "\(resource)")
                #expect(read.reaches(try #require(url)), "\(resource)")
            }
        }
    }

    @Test(arguments: [
        "test.com%2ftes", "test.com%2ftest2", "test.com", "other.com%2ftest", "test.com%3a8443%2ftest",
        "test.com%2ftest%2e", "%2ftest.com%2ftest",
    ]) func anotherResourceIsNotReached(resource: String) throws {
        let read = try SharedAccessSignature(
            reading:
                "SharedAccessSignature sr=\(resource)&sig=\(try Self.mac(resource, expiry: 1, key: "k"))&se=1&skn=k")
        #expect(!read.reaches(try #require(url)))
    }

    @Test func portAndHostArePartOfTheResource() throws {
        let url = try #require(URL(string: "http://[::1]:8080/Base/hub"))
        let signed = SharedAccessSignature(reaching: url, keyName: "k", key: "x", now: now)
        #expect(signed.encodedResource == "%5b%3a%3a1%5d%3a8080%2fbase%2fhub%2f")
        #expect(signed.reaches(url))
        #expect(!signed.reaches(try #require(URL(string: "http://[::1]:8081/Base/hub"))))
    }

    @Test func invalidSignatureIsRefused() throws {
        var broken = [
            "", "Bearer x", "SharedAccessSignature", "SharedAccessSignature ", "sharedaccesssignature sr=a",
            vector + "&sr=a",
            vector.replacingOccurrences(of: "&se=1567003600", with: ""),
            vector.replacingOccurrences(of: "se=1567003600", with: "se=-1"),
            vector.replacingOccurrences(of: "se=1567003600", with: "se=99999999999999999999"),
            vector.replacingOccurrences(of: "%3D", with: ""), vector.replacingOccurrences(of: "%2f", with: "%zz"),
            vector + "&" + String(repeating: "a", count: 4_096) + "=b",
        ]
        for name in ["sr", "sig", "se", "skn"] {
            broken.append(vector.replacingOccurrences(of: name + "=", with: "x="))
        }
        for header in broken {
            #expect(
                code { _ = try SharedAccessSignature(reading: header) } == "shared-access-signature-invalid",
                "\(header)")
        }
        let seed = UInt64.random(in: .min ... .max)
        var generator = Seeded(seed)
        let bytes = Array(vector.utf8)
        for _ in 0..<3_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                changed[.random(in: 0..<changed.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let read = try? SharedAccessSignature(reading: String(decoding: changed, as: UTF8.self)) else {
                continue
            }
            if read.isSigned(with: "sharedAccessKey") {
                #expect(read.encodedResource == "test.com%2ftest%2f" && read.expiry == 1_567_003_600, "seed \(seed)")
            }
        }
    }

    @Test func aConnectionStringIsReadInAnyOrderAndCase() throws {
        let text =
            "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=a=b==;EntityPath=hub-1"
        let read = try EventHubConnection(reading: text)
        #expect(read.text == text)
        #expect(read.messages.absoluteString == "https://ns.servicebus.windows.net/hub-1/messages")
        #expect(read.credential == .key(name: "n", key: "a=b=="))
        let mixed =
            "entitypath=hub-1;SHAREDACCESSKEY=a=b==;sharedaccesskeyname=n;ENDPOINT=sb://ns.servicebus.windows.net;"
        #expect(try EventHubConnection(reading: mixed) == read)
        let local = try EventHubConnection(
            reading:
                "Endpoint=http://127.0.0.1:8080/;SharedAccessSignature=SharedAccessSignature sr=a&sig=b;EntityPath=h")
        #expect(local.messages.absoluteString == "http://127.0.0.1:8080/h/messages")
        #expect(local.authorization(now: now) == "SharedAccessSignature sr=a&sig=b")
        #expect(try EventHubConnection(reading: local.text) == local)
        for endpoint in ["sb://h", "sb://h/", "HTTPS://h:/", "sb://h:8443/a/b", "sb://[::1]:9/"] {
            let read = try EventHubConnection(
                reading: "Endpoint=\(endpoint);SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h")
            #expect(try EventHubConnection(reading: read.text) == read, "\(endpoint)")
        }
    }

    @Test(arguments: [
        "", "Endpoint=sb://h/", "Endpoint=sb://h/;EntityPath=h",
        "Endpoint=http://example.org/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=ftp://h/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=../h",
        "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=k;SharedAccessSignature=s;EntityPath=h",
        "Endpoint=sb://h/;Endpoint=sb://i/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=sb://http:///;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=sb://h/a//b/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=sb://ns%253e/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=sb://n%73/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=sb://u:p@h/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h",
        "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=h;TransportType=carrier",
    ]) func invalidConnectionStringIsRefused(text: String) {
        #expect(code { _ = try EventHubConnection(reading: text) } == "event-hub-invalid")
    }

    private static func mac(_ resource: String, expiry: Int64, key: String) throws -> String {
        let script = """
            import sys, hmac, hashlib, base64
            resource, expiry, key = sys.argv[1:]
            print(base64.b64encode(hmac.new(key.encode(), (resource + '\\n' + expiry).encode(), hashlib.sha256).digest()).decode(), end='')
            """
        return String(
            decoding: try ExternalTool.run("python3", ["-c", script, resource, "\(expiry)", key]), as: UTF8.self)
    }
}
