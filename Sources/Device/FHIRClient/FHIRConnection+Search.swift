import Core
import FHIR
import Foundation

extension FHIRConnection {
    /// Searches for resources. Pages are requested while the loop needs them.
    ///
    /// ```swift
    /// for try await reading in server.search(Observation.self, ["patient": "p1", "_count": "100"]) {
    ///     show(reading)
    /// }
    /// ```
    /// - Parameters:
    ///   - type: the type; `Resource.self` searches all types, and also returns included resources.
    ///   - query: the parameters.
    /// - Returns: the matches. Its loop throws ``FHIRClientError`` and errors of the transport and the token.
    public func search<View: ResourceView>(
        _ type: View.Type, _ query: FHIRQuery = FHIRQuery()
    ) -> FHIRSearchMatches<View> {
        FHIRSearchMatches(
            pages: FHIRSearchPages(
                connection: self, path: View.resourceType + (query.text.isEmpty ? "" : "?" + query.text)))
    }

    /// Returns the answers to a search, page by page, whatever their status.
    package func answers(to path: String) -> FHIRPageAnswers { FHIRPageAnswers(connection: self, path: path) }
}

/// Requests the pages of a search one after the other.
package struct FHIRPageAnswers: Sendable {
    private let connection: FHIRConnection
    private let path: String
    private var isStarted = false
    private var next: String?
    private var pages = 0

    init(connection: FHIRConnection, path: String) {
        self.connection = connection
        self.path = path
    }

    /// Returns the next answer; nil after the last one. An answer that is no Bundle is the last one.
    ///
    /// - Throws: ``FHIRClientError`` `too-many-pages`, and `answer-invalid` for a link that is no URL; errors of the
    ///   transport and the token.
    package mutating func nextAnswer() async throws -> FHIRResponse? {
        let answer: FHIRResponse
        if !isStarted {
            answer = try await connection.send("GET", path: path)
        } else if let next {
            guard pages < connection.limits.pages else { throw FHIRClientError(.tooManyPages) }
            guard let url = connection.onServer(next) else { throw FHIRClientError(.answerInvalid) }
            answer = try await connection.send(pageAt: url)
        } else {
            return nil
        }
        isStarted = true
        pages += 1
        let links = answer.isSuccess ? answer.json?["link"]?.array : nil
        next = links?.first { $0["relation"]?.string == "next" }?["url"]?.string
        return answer
    }
}

/// The pages of a search as Bundles, for their totals, scores and included resources.
///
/// ```swift
/// for try await page in server.search(Patient.self, ["_revinclude": "Observation:patient"]).pages {
///     print(page.total ?? 0, page.entry.count)
/// }
/// ```
public struct FHIRSearchPages: AsyncSequence, Sendable {
    public typealias Element = FHIR.Bundle

    let connection: FHIRConnection
    let path: String

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(answers: connection.answers(to: path)) }

    /// Requests the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var answers: FHIRPageAnswers

        /// Returns the next page; nil after the last one.
        ///
        /// - Throws: ``FHIRClientError``, with `too-many-pages` after ``FHIRClientLimits/pages``; errors of the
        ///   transport and the token.
        public mutating func next() async throws -> FHIR.Bundle? {
            try await answers.nextAnswer()?.resource(FHIR.Bundle.self)
        }
    }
}

/// The resources that match a search, of all pages.
///
/// ```swift
/// let newest = try await server.search(Observation.self, ["_sort": "-date"]).first { $0.status == .final }
/// ```
public struct FHIRSearchMatches<View: ResourceView>: AsyncSequence, Sendable {
    public typealias Element = View

    /// The same search, page by page.
    public let pages: FHIRSearchPages

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pages: pages.makeAsyncIterator()) }

    /// Returns all matches, within ``FHIRClientLimits/pages``.
    ///
    /// ```swift
    /// let conditions = try await server.search(Condition.self, ["patient": "p1"]).all()
    /// ```
    /// - Throws: ``FHIRClientError``; errors of the transport and the token.
    public func all() async throws -> [View] {
        var views: [View] = []
        for try await view in self { views.append(view) }
        return views
    }

    /// Requests the pages, and returns their matches.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var pages: FHIRSearchPages.AsyncIterator
        private var views: [View] = []

        init(pages: FHIRSearchPages.AsyncIterator) { self.pages = pages }

        /// Returns the next match; nil after the last one.
        ///
        /// - Throws: as for ``FHIRSearchPages``.
        public mutating func next() async throws -> View? {
            while views.isEmpty {
                guard let page = try await pages.next() else { return nil }
                views = page.entry.reversed().compactMap(Self.match)
            }
            return views.popLast()
        }

        private static func match(_ entry: FHIR.Bundle.Entry) -> View? {
            let mode = entry.search?.mode
            guard mode != .outcome, mode != .include || View.resourceType.isEmpty else { return nil }
            return entry.resource.flatMap { View($0) }
        }
    }
}
