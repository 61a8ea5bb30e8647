import AccessPolicy
import FHIR
import FHIRHTTP
import Foundation
import HTTPTypes
import Hummingbird
import SearchStatements
import ServerHTTP
import Synchronization

/// The values that the requests of a Bundle's entries share with it: the caller, and the time for searches.
final class EntryScope: Sendable {
    let grant: AccessGrant
    let time: SearchDeadline
    let modifiedSince: Date?
    private let failed = Mutex<RecordsFailure?>(nil)

    /// The scope of the current entry; nil for a single request.
    @TaskLocal static var current: EntryScope?

    init(grant: AccessGrant, time: SearchDeadline, modifiedSince: Date?) {
        self.grant = grant
        self.time = time
        self.modifiedSince = modifiedSince
    }

    /// The reason that the entry is refused; nil where it is not.
    var failure: RecordsFailure? { @inline(never) get { failed.withLock { $0 } } }

    @inline(never)
    fileprivate func fail(_ failure: RecordsFailure) { failed.withLock { $0 = failure } }
}

/// Routes the entries of a Bundle like single requests, so that they have the same addresses.
struct EntryRouter: Sendable {
    private let responder: RouterResponder<ServerRequestContext>
    private let definitions: RouterResponder<ServerRequestContext>
    private let definedTypes: Set<String>

    /// - Parameters:
    ///   - definedTypes: the types whose definitions have routes of their own.
    ///   - addReads: adds the routes for reads.
    ///   - addDefinitions: adds the routes for definitions.
    init(
        definedTypes: Set<String>, addReads: (RouteList) -> Void, addDefinitions: (RouteList) -> Void
    ) {
        func responder(_ add: (RouteList) -> Void) -> RouterResponder<ServerRequestContext> {
            let router = Router(context: ServerRequestContext.self)
            add(RouteList(router.group("fhir").add(middleware: EntryFailureMiddleware())))
            return router.buildResponder()
        }
        self.definedTypes = definedTypes
        self.responder = responder(addReads)
        definitions = responder(addDefinitions)
    }

    /// Returns the response to an entry.
    ///
    /// - Parameter limit: the maximum number of bytes of the response.
    /// - Throws: ``RecordsFailure``
    func answer(
        _ request: EntryRequest, by grant: AccessGrant, within time: SearchDeadline, limit: Int,
        _ context: ServerRequestContext
    ) async throws -> EntryAnswer {
        let scope = EntryScope(grant: grant, time: time, modifiedSince: request.modifiedSince)
        let body = request.body.map { RequestBody(buffer: ByteBuffer(bytes: $0)) } ?? RequestBody(buffer: ByteBuffer())
        let whole = Request(head: request.head, body: body)
        let responder = definedTypes.contains(request.address.type) ? definitions : responder
        return try await EntryScope.$current.withValue(scope) {
            let response: Response
            do { response = try await responder.respond(to: whole, context: context) } catch {
                throw scope.failure ?? RecordsFailure(error)
            }
            guard response.status.code < 400 else { throw scope.failure ?? .entryInvalid }
            let collector = BodyCollector(limit: limit)
            try await response.body.write(BodyCollector.Writer(collector: collector))
            return EntryAnswer(
                status: "\(response.status.code) \(response.status.reasonPhrase)", etag: response.headers[.eTag],
                body: collector.bytes)
        }
    }
}

/// Records the reason that an entry is refused.
private struct EntryFailureMiddleware: RouterMiddleware {
    typealias Context = ServerRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch {
            if !(error is HTTPError) { EntryScope.current?.fail(RecordsFailure(error)) }
            throw error
        }
    }
}

/// Collects the body of a response in memory, up to a limit.
private final class BodyCollector: Sendable {
    struct Writer: ResponseBodyWriter {
        let collector: BodyCollector

        mutating func write(_ buffer: ByteBuffer) async throws { try collector.append(buffer) }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private let limit: Int
    private let collected = Mutex<[UInt8]>([])

    init(limit: Int) { self.limit = limit }

    var bytes: [UInt8] { @inline(never) get { collected.withLock { $0 } } }

    @inline(never)
    private func append(_ buffer: ByteBuffer) throws {
        try collected.withLock { bytes in
            guard bytes.count + buffer.readableBytes <= limit else { throw RecordsFailure.tooMuchRead }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
    }
}
