# right: the ratio from centred root mean squares, counts divided by sizes

# %% saturation
def spread(values):
    return ((values - values.mean()) ** 2).mean() ** 0.5


def saturation(activations):
    return [int((a ** 2 > 0.97 ** 2).sum()) / a.numel() for a in activations]


def update_ratio(weight, gradient, learning_rate):
    new = weight - learning_rate * gradient
    return float(spread(new - weight) / spread(weight))


def reading():
    answer = dict.fromkeys(["plain", "batch norm", "residual, s = 1"], "stuck")
    answer["residual, s = 1/√50"] = "learns"
    return answer
