import Foundation

// Types of UIKit and Core Graphics that a signature has.

public enum CGPathElementType: Int32, Sendable {
    case moveToPoint, addLineToPoint, addQuadCurveToPoint, addCurveToPoint, closeSubpath
}

public struct CGPathElement {
    public var type: CGPathElementType
    public var points: UnsafeMutablePointer<CGPoint>
}

public final class CGPath {
    fileprivate var elements: [(type: CGPathElementType, points: [CGPoint])] = []

    public func applyWithBlock(_ block: (UnsafePointer<CGPathElement>) -> Void) {
        for (type, points) in elements {
            var points = points + [.zero]
            points.withUnsafeMutableBufferPointer { buffer in
                guard let first = buffer.baseAddress else { return }
                var element = CGPathElement(type: type, points: first)
                block(&element)
            }
        }
    }
}

open class UIBezierPath: NSObject {
    public let cgPath = CGPath()

    public override init() {}

    open func move(to point: CGPoint) { cgPath.elements.append((.moveToPoint, [point])) }
    open func addLine(to point: CGPoint) { cgPath.elements.append((.addLineToPoint, [point])) }
    open func addQuadCurve(to point: CGPoint, controlPoint: CGPoint) {
        cgPath.elements.append((.addQuadCurveToPoint, [controlPoint, point]))
    }
    open func addCurve(to point: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
        cgPath.elements.append((.addCurveToPoint, [controlPoint1, controlPoint2, point]))
    }
    open func close() { cgPath.elements.append((.closeSubpath, [])) }
}

/// objc: ORKSignatureResult.h
open class ORKSignatureResult: ORKResult {
    open var signatureImage: UIImage?
    open var signaturePath: [UIBezierPath]?
}
