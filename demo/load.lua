-- wrk's script: a mix of all routes, in a fixed order.
local order = '{"customer":"ann","lines":[{"product":7,"quantity":2},{"product":41,"quantity":1},{"product":900,"quantity":3}]}'
local requests = {}

function init()
  local json = { ["Content-Type"] = "application/json" }
  for product = 1, 20 do
    requests[#requests + 1] = wrk.format("GET", "/products/" .. product * 97)
    requests[#requests + 1] = wrk.format("POST", "/orders", json, order)
  end
  requests[#requests + 1] = wrk.format("GET", "/products?category=music&sort=price")
  requests[#requests + 1] = wrk.format("GET", "/report")
end

local index = 0
function request()
  index = index % #requests + 1
  return requests[index]
end
