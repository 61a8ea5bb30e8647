import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// A document that is generated once and then sent as bytes, with its entity tag and its gzip form.
package struct CachedDocument: Sendable {
    package let bytes: ByteBuffer
    package let mediaType: String
    /// The entity tag with its quotation marks, without `W/`: the beginning of the SHA-256 of the bytes.
    package let entityTag: String
    /// The gzip form; nil where it is not shorter.
    let gzip: ByteBuffer?

    package init(_ bytes: ByteBuffer, mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
        let digest = SHA256.hash(data: Data(bytes.readableBytesView)).prefix(12)
        entityTag = "\"" + Data(digest).base64EncodedString() + "\""
        var encoded: ByteBuffer?
        if bytes.readableBytes >= CompressionMiddleware.least, let encoder = GzipEncoder() {
            var output = encoder.encode(bytes)
            output.writeImmutableBuffer(encoder.finish())
            encoded = output.readableBytes < bytes.readableBytes ? output : nil
        }
        gzip = encoded
    }

    /// The bytes that the document occupies in the cache.
    var size: Int { bytes.readableBytes + (gzip?.readableBytes ?? 0) }

    /// Returns 304 if the client has the document, otherwise the document in an encoding that the client accepts.
    ///
    /// - Parameters:
    ///   - vary: the header field by which the client chose among several documents of one address.
    ///   - cacheControl: which caches may store the answer, and for how long (RFC 9111 section 5.2.2).
    package func response(to request: Request, vary field: String? = nil, cacheControl: String = "no-cache") -> Response
    {
        var response: Response
        if request.knows(entityTag: entityTag) {
            response = Response(status: .notModified, headers: [.cacheControl: cacheControl])
        } else if let gzip, CompressionMiddleware.takesGzip(request.headers[values: .acceptEncoding]) {
            response = .bytes(gzip, mediaType: mediaType, cacheControl: cacheControl)
            response.headers[.contentEncoding] = "gzip"
        } else {
            response = .bytes(bytes, mediaType: mediaType, cacheControl: cacheControl)
        }
        response.headers[.eTag] = "W/" + entityTag
        if let field { response.vary(by: field) }
        if gzip != nil { response.vary(by: "Accept-Encoding") }
        return response
    }
}

/// A cache of generated documents by key, with a limit of bytes. The least recently used document is evicted first.
package final class CachedDocuments: Sendable {
    fileprivate struct Entry {
        let document: CachedDocument
        var used: Int
    }

    fileprivate struct State {
        var entries: [String: Entry] = [:]
        var bytes = 0
        var uses = 0
    }

    private static let maximumCount = 256

    private let maximumBytes: Int
    private let state = Mutex(State())
    /// The number of documents generated since the start.
    private let generated = Atomic(0)

    package init(maximumBytes: Int = 16 << 20) { self.maximumBytes = maximumBytes }

    /// The number of documents generated since the start.
    var generations: Int { generated.load(ordering: .relaxed) }

    /// Returns the document of a key, generating it if it is not in the cache.
    @inline(never)
    package func document(
        _ key: String, mediaType: String, generate: () throws -> ByteBuffer
    ) rethrows -> CachedDocument {
        if let known = state.withLock({ $0.use(key) }) { return known }
        generated.wrappingAdd(1, ordering: .relaxed)
        let document = CachedDocument(try generate(), mediaType: mediaType)
        state.withLock { state in
            let size = document.size + key.utf8.count
            guard size <= maximumBytes, state.entries[key] == nil else { return }
            state.bytes += size
            state.uses += 1
            state.entries[key] = Entry(document: document, used: state.uses)
            while state.bytes > maximumBytes || state.entries.count > Self.maximumCount,
                let oldest = state.entries.min(by: { $0.value.used < $1.value.used })
            {
                state.bytes -= oldest.value.document.size + oldest.key.utf8.count
                state.entries[oldest.key] = nil
            }
        }
        return document
    }
}

extension CachedDocuments.State {
    fileprivate mutating func use(_ key: String) -> CachedDocument? {
        guard var entry = entries[key] else { return nil }
        uses += 1
        entry.used = uses
        entries[key] = entry
        return entry.document
    }
}

extension RateLimiter {
    /// The bytes of an answer that cost as much as one request.
    private static let bytesPerRequest = 16 << 10

    /// Charges the bytes of an answer to its address: one for the request and one for each 16 KiB.
    package func charge(_ address: ClientAddress, _ rateClass: RateClass, answering response: Response) {
        let bytes = response.body.contentLength ?? 0
        charge(address.rateKey, rateClass, cost: 1 + bytes / Self.bytesPerRequest)
    }
}
