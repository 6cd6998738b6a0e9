// The classifier of the page, which several exhibits run: it is made once, when the first of them is drawn.

const pageClassifier = { data: null, made: null };

/** The classifier that an exhibit brings, or that of the page; null where the page has no script for it. */
function classifierOf(exhibit) {
  const own = exhibit.classifier;
  if (own !== undefined) return canRun(own) ? new Classifier(own) : null;
  if (!canRun(pageClassifier.data)) return null;
  pageClassifier.made ??= new Classifier(pageClassifier.data);
  return pageClassifier.made;
}
