#if canImport(ResearchKit)
    import FHIR
    import Foundation
    import ResearchKit
    import ResearchKitForms

    /// The lines of a signature as JSON and back: an array of paths, each an array of elements such as
    /// `{"type":"line","points":[{"x":1.5,"y":2}]}`.
    enum SignaturePath {
        private static let types: [CGPathElementType: String] = [
            .moveToPoint: "move", .addLineToPoint: "line", .addQuadCurveToPoint: "quadCurve",
            .addCurveToPoint: "curve", .closeSubpath: "close",
        ]
        /// The number of points of each type of element.
        private static let pointCounts = ["move": 1, "line": 1, "quadCurve": 2, "curve": 3, "close": 0]

        /// Returns the JSON of paths; nil if a coordinate is not finite.
        static func json(_ paths: [UIBezierPath]) -> JSON? {
            var written: [JSON] = []
            for path in paths {
                var elements: [JSON?] = []
                path.cgPath.applyWithBlock { elements.append(json($0.pointee)) }
                let known = elements.compactMap { $0 }
                guard known.count == elements.count else { return nil }
                written.append(.array(known))
            }
            return .array(written)
        }

        private static func json(_ element: CGPathElement) -> JSON? {
            guard let type = types[element.type] else { return nil }
            var points: [JSON] = []
            for index in 0..<(pointCounts[type] ?? 0) {
                guard let x = coordinate(element.points[index].x), let y = coordinate(element.points[index].y) else {
                    return nil
                }
                points.append(["x": x, "y": y])
            }
            return ["type": .string(type), "points": .array(points)]
        }

        private static func coordinate(_ value: CGFloat) -> JSON? {
            ResultValues.json(number: NSNumber(value: Double(value)))
        }

        /// Reads paths.
        static func paths(_ json: [JSON], at location: String) throws(SurveyResultError) -> [UIBezierPath] {
            var paths: [UIBezierPath] = []
            for (index, path) in json.enumerated() {
                let here = "\(location)[\(index)]"
                guard let elements = path.array else { throw SurveyResultError(reason: .malformed, location: here) }
                let path = UIBezierPath()
                for (index, element) in elements.enumerated() {
                    try add(element, at: "\(here)[\(index)]", to: path)
                }
                paths.append(path)
            }
            return paths
        }

        private static func add(
            _ element: JSON, at location: String, to path: UIBezierPath
        ) throws(SurveyResultError) {
            guard let object = element.object else { throw SurveyResultError(reason: .malformed, location: location) }
            let members = ResultMembers(object: object, location: location)
            let type = try members.text("type") ?? ""
            guard let count = pointCounts[type] else { throw members.malformed("type") }
            let written = try members.elements("points") ?? []
            guard written.count == count else { throw members.malformed("points") }
            var points: [CGPoint] = []
            for (index, point) in written.enumerated() {
                guard let object = point.object else { throw members.malformed("points[\(index)]") }
                let point = ResultMembers(object: object, location: "\(location).points[\(index)]")
                guard let x = try point.double("x") else { throw point.malformed("x") }
                guard let y = try point.double("y") else { throw point.malformed("y") }
                points.append(CGPoint(x: x, y: y))
            }
            switch type {
            case "move": path.move(to: points[0])
            case "line": path.addLine(to: points[0])
            case "quadCurve": path.addQuadCurve(to: points[1], controlPoint: points[0])
            case "curve": path.addCurve(to: points[2], controlPoint1: points[0], controlPoint2: points[1])
            default: path.close()
            }
        }
    }
#endif
