import Foundation
import Hummingbird
import Logging
import ServerHTTP
import Wire

/// Puts the receiver's routes on a router.
///
/// Add it to the router first: what it brings as middleware concerns only routes that are added after it. That is the
/// published questionnaires, for `/fhir/:type/:id` is another module's, and the answer 405 to a wrong method. Whoever
/// adds routes below `/fhir` must call the path's parameters `:type` and `:id` too, or the router takes them for two.
public struct ReceiverRoutes: Sendable {
    private let service: ReceiverService
    private let logger: Logger

    public init(service: ReceiverService, logger: Logger) {
        self.service = service
        self.logger = logger
    }

    /// The routes that ``add(to:)`` registers; the others of ``ReceiverRoute/table`` are answered by its middleware.
    static let registered = ReceiverRoute.table.filter { $0.endpoint != .questionnaire }

    /// Registers all routes.
    public func add(to router: some RouterMethods<ServerRequestContext>) {
        _ = router.add(middleware: ReceiverMiddleware(routes: self))
        for route in Self.registered {
            guard let method = HTTPRequest.Method(rawValue: route.method) else { continue }
            router.on(RouterPath(route.path), method: method) { request, context in
                await respond(
                    to: request, route, from: context.client, type: context.parameters["type"].map(String.init),
                    id: context.parameters["id"].map(String.init))
            }
        }
    }

    func respond(
        to request: Request, _ route: ReceiverRoute, from address: ClientAddress, type: String?, id: String?
    ) async -> Response {
        let bodies = service.configuration.bodies
        let value = ReceiverRequest(
            antispam: HTTPFields.Element.Name("Antispam").flatMap { request.headers[$0] },
            authorization: request.headers[.authorization], submission: Self.submission(of: request),
            contentType: request.headers[.contentType],
            contentEncoding: request.headers[.contentEncoding],
            contentLength: request.headers[.contentLength].flatMap { Int($0) }, query: request.uri.query, type: type,
            id: id, address: address,
            readBody: { limit in
                let body = try await bodies.collect(request, upTo: limit)
                return ReceiverRequest.Body(
                    Data(body.buffer.readableBytesView), reservation: body.reservation)
            })
        let response = await service.respond(to: value, at: route.endpoint)
        log(response, route.method, route.path)
        return Response(response)
    }

    /// The submission that the sender says it is: a UUID, for it is repeated in the answer.
    private static func submission(of request: Request) -> String? {
        HTTPFields.Element.Name(StudyPath.submissionHeader).flatMap { request.headers[$0] }
            .flatMap { UUID(uuidString: $0)?.uuidString.lowercased() }
    }

    /// Method, route, status, client and code, and nothing else: paths, queries, headers and bodies may tell who and what.
    private func log(_ response: ReceiverResponse, _ method: String, _ path: String) {
        var metadata: Logger.Metadata = [
            "method": "\(method)", "route": "\(path)", "status": "\(response.status)",
        ]
        if let client = response.clientID { metadata["client"] = "\(client)" }
        if let code = response.code { metadata["code"] = "\(code)" }
        let level: Logger.Level =
            switch (response.status, response.code) {
            // Nothing bounds how often these come: a flood does not fill the log where it says what is worth a look.
            case (..<400, _), (405, _), (429, "rate-limited"): .info
            case (..<500, _): .notice
            default: .error
            }
        logger.log(level: level, "request", metadata: metadata)
    }

    /// The answer to a method that a known path does not have.
    func refuseMethod(of routes: [ReceiverRoute]) -> Response {
        let allowed = routes.map(\.method).sorted()
        var failure = ReceiverFailure.problem(405, "method-not-allowed", "This path has no such method.")
            .adding("Allow", allowed.joined(separator: ", "))
        if let first = routes.first { failure = failure.styled(for: first.endpoint) }
        log(failure.response, "other", routes.first?.path ?? "")
        return Response(failure.response)
    }
}

extension Response {
    init(_ response: ReceiverResponse) {
        var headers = HTTPFields()
        for (name, value) in response.headers {
            guard let name = HTTPFields.Element.Name(name) else { continue }
            headers[name] = value
        }
        self.init(
            status: HTTPResponse.Status(code: response.status), headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }
}
