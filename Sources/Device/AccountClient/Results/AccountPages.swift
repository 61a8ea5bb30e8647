import Core
import Foundation
import ResearchResults

/// The pages of a list, each of which is requested when it is read.
///
/// ```swift
/// for try await page in try client.results(matching: filter) {
///     for row in page { show(row.id) }
/// }
/// ```
/// ``AccountLimits`` bounds the pages, their bytes and the time.
public struct AccountPages<Page: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Page

    /// One answer: the page, the cursor of the next one (nil at the end), and the number of bytes.
    struct Answer: Sendable {
        let page: Page
        let next: String?
        let bytes: Int
    }

    let limits: AccountLimits
    let now: @Sendable () -> Date
    var start: String?
    let request: @Sendable (_ cursor: String?) async throws -> Answer

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Requests the pages.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let pages: AccountPages
        private let deadline: Date
        private var cursor: String?
        private var isFinished = false
        private var count = 0
        private var bytes = 0

        init(_ pages: AccountPages) {
            self.pages = pages
            cursor = pages.start
            deadline = pages.now().addingTimeInterval(pages.limits.listSeconds)
        }

        /// Returns the next page; nil after the last one.
        ///
        /// - Throws: as ``AccountClient`` describes; `list-too-long`.
        public mutating func next() async throws -> Page? {
            guard !isFinished else { return nil }
            // After an error there is no further page.
            isFinished = true
            guard count < pages.limits.pages, pages.now() <= deadline else { throw AccountClientError(.listTooLong) }
            let answer = try await pages.request(cursor)
            count += 1
            bytes += answer.bytes
            guard bytes <= pages.limits.listBytes else { throw AccountClientError(.listTooLong) }
            if let next = answer.next {
                // The same cursor again would give the same page for ever.
                guard next != cursor else { throw AccountClientError(.invalidResponse) }
                cursor = next
                isFinished = false
            }
            return answer.page
        }
    }
}

extension AccountPages where Page: RangeReplaceableCollection {
    /// Returns the elements of all pages.
    ///
    /// ```swift
    /// let rows = try await client.results(matching: filter).all()
    /// ```
    /// - Throws: as ``AccountClient`` describes; `list-too-long`.
    public func all() async throws -> Page {
        var elements = Page()
        for try await page in self { elements.append(contentsOf: page) }
        return elements
    }
}

extension AccountClient {
    /// Returns the pages of a list whose answers have the rows in a member and `next`, which is null at the end.
    nonisolated func pages<Row: Sendable>(
        of path: String, query: [(name: String, value: String)] = [], member: String, kind: AccountRequestKind,
        row: @escaping @Sendable (JSON) -> Row?
    ) -> AccountPages<[Row]> {
        AccountPages(limits: limits, now: now) { cursor in
            let query = query + (cursor.map { [("cursor", $0)] } ?? [])
            let response = try await self.send(AccountRequest("GET", path: path, query: query, kind: kind))
            let json = try self.json(response)
            let next = json.present("next")
            guard let values = json[member]?.array, (next == nil) == (next?.string == nil) else {
                throw AccountClientError(.invalidResponse, status: response.status)
            }
            let rows = values.compactMap(row)
            guard rows.count == values.count, self.isCursor(next?.string) else {
                throw AccountClientError(.invalidResponse, status: response.status)
            }
            return AccountPages.Answer(page: rows, next: next?.string, bytes: response.body.count)
        }
    }

    /// Whether a text can be a cursor: up to 16,384 bytes, and not empty; nil is the end of a list.
    nonisolated func isCursor(_ text: String?) -> Bool { text.map { (1...16_384).contains($0.utf8.count) } ?? true }
}
